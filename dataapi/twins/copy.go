package twins

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/portico-id/portico/dataapi/pdf"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

const (
	pdfType = "application/pdf"

	// maxDocument is how large a document may be, in bytes.
	maxDocument = 1 << 30
)

// Reasons of refusals of files.
const (
	reasonNoBytes  = "no_bytes"
	reasonTooLarge = "too_large"
)

// copyInto examines the bytes of the version and copies them into a place of the
// document's own. The copy is noted first, so that what a crash leaves behind is
// deleted later (see follow.go).
func (h *Handler) copyInto(ctx context.Context, d *storage.TwinDocument, version storage.Version) error {
	if version.Bucket == "" {
		return invalidFile(reasonNoBytes, "This version has no bytes.")
	}
	object, err := h.store.FindObject(ctx, version.Bucket, version.ObjectKey)
	if err != nil {
		return err
	}
	switch {
	case object.State != storage.ObjectStored || object.Blob == "":
		return invalidFile(reasonNoBytes, "This version has no bytes.")
	case object.Scan == storage.ScanInfected:
		return invalidFile(storage.ReasonInfected, "The virus scanner has found "+object.Finding+" in this file.")
	case object.Scan == storage.ScanPending: // nobody would look at the copy
		return fault.New(fault.Locked, storage.ReasonScanPending,
			"The virus scanner has not looked at this file yet: import it in a moment.").At("/accVersion")
	case object.Size > maxDocument:
		return invalidFile(reasonTooLarge, "A document has at most 1 GiB.")
	}
	if err := h.examine(ctx, object); err != nil {
		return err
	}
	d.ContentType, d.Size, d.SHA256 = pdfType, object.Size, object.SHA256
	d.Blob, d.UpdatedAt = h.ambient.UID(), h.ambient.Now()
	if err := h.store.NoteBlobs(ctx, d.UpdatedAt, []string{d.Blob}); err != nil {
		return err
	}
	return h.copyBytes(ctx, object, d.Blob)
}

// examine refuses what is no PDF document, by its bytes alone. It runs beside
// the request: should bytes ever make it panic, only their own entry fails.
func (h *Handler) examine(ctx context.Context, object storage.Object) (err error) {
	select {
	case h.examining <- struct{}{}:
		defer func() { <-h.examining }()
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("examining the bytes %s: panic: %v\n%s", object.Blob, reason, debug.Stack())
		}
	}()
	ctx, place := blobstore.TakeTurn(ctx)
	defer place.Done()
	place.Pause() // until it is asked for bytes
	file := blobstore.NewReader(ctx, h.blobs, object.Blob, object.Size)
	defer file.Close()
	_, err = pdf.Check(ctx, seeking{file, place}, object.Size)
	return err
}

// seeking reads at offsets by seeking first; one reader at a time.
type seeking struct {
	io.ReadSeeker
	place *blobstore.Turn
}

func (s seeking) ReadAt(p []byte, offset int64) (int, error) {
	s.place.GoOn()
	defer s.place.Pause()
	if _, err := s.Seek(offset, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(s.place.Going(s.ReadSeeker), p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// copyBytes copies the bytes of an object. Nobody goes on with a copy that failed, and it
// may fail every half minute.
func (h *Handler) copyBytes(ctx context.Context, object storage.Object, to string) error {
	ctx, place := blobstore.TakeTurn(ctx)
	defer place.Done()
	upload, err := h.blobs.Begin(ctx, to)
	if err != nil {
		return err
	}
	if err := h.fill(ctx, place, object, to, upload); err != nil {
		ctx, place := blobstore.TakeTurn(context.WithoutCancel(ctx))
		defer place.Done()
		_ = h.blobs.Abort(ctx, to, upload)
		return err
	}
	return nil
}

// fill gives a copy its bytes, and makes sure that they are the object's.
func (h *Handler) fill(ctx context.Context, place *blobstore.Turn, object storage.Object, to, upload string) error {
	from, err := h.blobs.Open(ctx, object.Blob, 0, -1)
	if err != nil {
		return err
	}
	defer from.Close()
	sum := sha256.New()
	part, err := h.blobs.PutPart(ctx, to, upload, 1, io.TeeReader(place.Going(from), sum), object.Size)
	if err != nil {
		return err
	}
	if len(object.SHA256) > 0 && !bytes.Equal(sum.Sum(nil), object.SHA256) {
		return fmt.Errorf("the bytes %s are not those that were stored", object.Blob)
	}
	place.Longer()
	return h.blobs.Complete(ctx, to, upload, []blobstore.Part{part})
}

func invalidFile(reason, detail string) error {
	return fault.New(fault.Invalid, reason, detail).At("/accVersion")
}
