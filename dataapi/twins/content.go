package twins

import (
	"encoding/hex"
	"mime"
	"net/http"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// content serves GET /twins/{twinID}/documents/{documentID}/content: the bytes,
// or a range of them.
func (h *Handler) content(w http.ResponseWriter, r *http.Request) error {
	_, d, err := h.document(r)
	if err != nil {
		return err
	}
	return h.serve(w, r, d)
}

// contentByLink is content for who has a signed link.
func (h *Handler) contentByLink(w http.ResponseWriter, r *http.Request) error {
	d, err := h.redeem(r, r.URL.Query().Get(ticketParameter))
	if err != nil {
		return err
	}
	return h.serve(w, r, d)
}

// serve sends the bytes. They were somebody's upload: a browser shows them, and
// loads and runs nothing.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, d storage.TwinDocument) error {
	if err := blobstore.Answers(r.Context(), h.blobs, d.Blob); err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", d.ContentType)
	header.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": d.Name}))
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("ETag", `"`+hex.EncodeToString(d.SHA256)+`"`)
	header.Set("Cache-Control", "private, no-cache")
	body := blobstore.NewReader(r.Context(), h.blobs, d.Blob, d.Size)
	defer body.Close()
	out, done := httpio.Leisurely(w)
	defer done()
	httpio.ServeContent(out, r, d.UpdatedAt, body)
	return nil
}
