package objects

import (
	"net/http"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage/blobstore"
)

// Get serves GET on an object: its bytes, or a range of them, to whoever has a
// token.
func (h *Handler) Get(w http.ResponseWriter, r *http.Request) error {
	q, err := parameters(r)
	if err != nil {
		return err
	}
	a, err := h.toDownload(r)
	if err != nil {
		return err
	}
	show, err := present(a.object, q)
	if err != nil {
		return err
	}
	return h.serve(w, r, a, show)
}

// getSigned serves GET at one of the server's own addresses.
func (h *Handler) getSigned(w http.ResponseWriter, r *http.Request) error {
	t, a, err := h.redeem(r, http.MethodGet)
	if err == nil {
		err = h.mayDownload(r.Context(), a)
	}
	if err != nil {
		return err
	}
	return h.serve(w, r, a, t.Show)
}

// serve sends the bytes. They are somebody's upload: nothing in them may run,
// and nobody may guess another type (security notes, section 4). An end of a
// range past the last byte is cut, as existing clients need it.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, a asked, show presentation) error {
	if err := h.mustBeServed(a.object); err != nil {
		return err
	}
	if err := blobstore.Answers(r.Context(), h.blobs, a.object.Blob); err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", show.Type)
	header.Set("Content-Disposition", show.Disposition)
	header.Set("Content-Security-Policy", policyOf(show))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("ETag", tagOf(a.object))
	header.Set("Cache-Control", "private, no-cache")
	if show.Cache != "" {
		header.Set("Cache-Control", show.Cache)
	}
	out, done := httpio.Leisurely(w)
	defer done()
	body := blobstore.NewReader(r.Context(), h.blobs, a.object.Blob, a.object.Size)
	defer body.Close()
	httpio.ServeContent(out, r, a.object.StoredAt, body)
	return nil
}
