package objects

import (
	"net/http"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage/blobstore"
)

// Put serves PUT on an object, as older clients upload: all bytes at once.
func (h *Handler) Put(w http.ResponseWriter, r *http.Request) error {
	a, err := h.toUpload(r)
	if err != nil {
		return err
	}
	most, err := h.mostOf(r.Context(), a.object)
	if err != nil {
		return err
	}
	if err := checkLength(r, min(most, blobstore.MaxPart)); err != nil {
		return err
	}
	upload, err := h.beginOrGoOn(r, a, "")
	if err != nil {
		return err
	}
	var answer any
	if _, err = h.receive(w, r, upload, 1); err == nil {
		httpio.AtLeisure(w)
		answer, err = h.complete(r.Context(), h.change(r, a.who), a.object, completion{UploadKey: upload.ID})
	}
	if err != nil {
		h.giveUp(r.Context(), upload)
		return err
	}
	write(w, answer)
	return nil
}
