package twins

import (
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// content serves GET /twins/{twinID}/documents/{documentID}/content: the bytes,
// or a range of them.
func (h *Handler) content(w http.ResponseWriter, r *http.Request) error {
	_, d, err := h.document(r, storage.TwinRead)
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
	// Missing bytes are found before anything is said, and are our failure.
	if _, err := h.blobs.Stat(r.Context(), d.Blob); fault.Is(err, fault.NotFound) {
		return fmt.Errorf("the bytes %s are missing", d.Blob)
	} else if err != nil {
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
	http.ServeContent(h.patiently(w), r, "", d.UpdatedAt, body)
	return nil
}

// patience is how long a client may take nothing at all. The server's own limits
// are for short answers.
const patience = 30 * time.Second

// patient is an answer that a client may take its time with.
type patient struct {
	http.ResponseWriter
	moves func()
}

func (h *Handler) patiently(w http.ResponseWriter) http.ResponseWriter {
	connection := http.NewResponseController(w)
	p := patient{w, func() {
		// It fails where there is no connection, and so no waiting for one.
		_ = connection.SetWriteDeadline(h.ambient.Now().Add(patience))
	}}
	p.moves()
	return p
}

// Write lets the next one begin its time anew.
func (p patient) Write(b []byte) (int, error) {
	n, err := p.ResponseWriter.Write(b)
	p.moves()
	return n, err
}
