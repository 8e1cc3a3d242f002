package objects

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// putPart serves PUT at one of the server's own addresses: the bytes of a part.
func (h *Handler) putPart(w http.ResponseWriter, r *http.Request) error {
	t, a, err := h.redeem(r, http.MethodPut)
	if err == nil {
		err = h.mayUpload(r.Context(), a)
	}
	if err != nil {
		return err
	}
	upload, err := h.findUpload(r.Context(), a.object, t.Upload)
	if err != nil {
		return err
	}
	if err := checkLength(r, t.Most); err != nil {
		return err
	}
	if err := h.checkTotal(r.Context(), a.object, upload, t.Part, r.ContentLength); err != nil {
		return err
	}
	part, err := h.receive(w, r, upload, t.Part)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", strconv.Quote(part.ETag))
	w.Header().Set("Content-Length", "0")
	w.WriteHeader(http.StatusOK)
	return nil
}

// receive keeps the body as a part. Nothing of it is held in memory but a
// buffer.
func (h *Handler) receive(w http.ResponseWriter, r *http.Request, upload storage.Upload,
	part int) (blobstore.Part, error) {
	body, err := verified(r.Body, r.Header, r.ContentLength)
	if err != nil {
		return blobstore.Part{}, err
	}
	return h.hold(r.Context(), upload, r.ContentLength, func() (blobstore.Part, error) {
		moves, done := httpio.Unhurried(w)
		defer done()
		ctx, store := blobstore.TakeTurn(r.Context())
		defer store.Done()
		return h.blobs.PutPart(ctx, upload.ID, upload.Reference, part, incoming{body, moves, store}, r.ContentLength)
	})
}

// hold counts the bytes of a part while they come, and for as long as they lie there.
func (h *Handler) hold(ctx context.Context, upload storage.Upload, size int64,
	put func() (blobstore.Part, error)) (blobstore.Part, error) {
	if err := h.store.HoldBytes(ctx, upload.ID, size); err != nil {
		return blobstore.Part{}, err
	}
	part, err := put()
	if err != nil {
		_ = h.store.HoldBytes(context.WithoutCancel(ctx), upload.ID, -size)
	}
	return part, err
}

// giveUp ends an upload with which nobody goes on. Its parts may be one already, by somebody
// who completes it or could not note them.
func (h *Handler) giveUp(ctx context.Context, upload storage.Upload) {
	ctx = context.WithoutCancel(ctx)
	ended, _ := h.store.EndUpload(ctx, upload.ID)
	_ = h.blobs.Abort(ctx, upload.ID, upload.Reference)
	if ended {
		_ = h.blobs.Delete(ctx, upload.ID)
	}
}

// checkLength refuses a body whose length is not said, or is too large.
func checkLength(r *http.Request, most int64) error {
	if r.ContentLength < 0 {
		return fault.New(fault.Invalid, reasonNoLength, "Say how long the body is: Content-Length.")
	}
	if r.ContentLength > most {
		return fault.Newf(fault.TooLarge, reasonPartSize, "At most %d bytes are taken here, not %d.", most, r.ContentLength)
	}
	return nil
}

// checkTotal refuses a part with which the object would be too large, so that
// nobody fills the disk with what could never be completed.
func (h *Handler) checkTotal(ctx context.Context, object storage.Object, upload storage.Upload,
	number int, size int64) error {
	most, err := h.mostOf(ctx, object)
	if err != nil {
		return err
	}
	parts, err := h.blobs.Parts(ctx, upload.ID, upload.Reference)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(parts, func(p blobstore.Part) bool { return p.Number == number })
	if total := totalOf(others) + size; total > most {
		return tooLarge(most, total)
	}
	return nil
}

func totalOf(parts []blobstore.Part) int64 {
	total := int64(0)
	for _, part := range parts {
		total += part.Size
	}
	return total
}

func tooLarge(most, size int64) error {
	return fault.Newf(fault.TooLarge, storage.ReasonObjectSize,
		"A file of this project has at most %d bytes, this one %d.", most, size)
}
