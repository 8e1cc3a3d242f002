package twins

import (
	"context"
	"io"
	"testing"
	"testing/synctest"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// silent is a place for bytes that says nothing any more once some have come.
type silent struct {
	blobstore.Store
	aborted bool
}

func (*silent) Begin(context.Context, string) (string, error) { return "upload", nil }

func (s *silent) Abort(ctx context.Context, _, _ string) error {
	s.aborted = ctx.Err() == nil
	<-ctx.Done()
	return ctx.Err()
}

func (*silent) Open(ctx context.Context, _ string, _, _ int64) (io.ReadCloser, error) {
	from, to := io.Pipe()
	go func() {
		_, _ = to.Write([]byte("%PDF-1.7"))
		<-ctx.Done()
		_ = to.CloseWithError(ctx.Err())
	}()
	return from, nil
}

func (*silent) PutPart(_ context.Context, _, _ string, _ int, body io.Reader, _ int64) (blobstore.Part, error) {
	_, err := io.Copy(io.Discard, body)
	return blobstore.Part{}, err
}

// Whoever follows originals would never come to another document.
//
// Rule: TWIN-16
func TestAStoreThatFallsSilentIsWaitedForNoLongerThanSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		place := &silent{}
		h := &Handler{blobs: place, examining: make(chan struct{}, 1)}
		object := storage.Object{Bytes: storage.Bytes{Blob: "blob", Size: 1 << 20}}
		if err := h.copyBytes(t.Context(), object, "copy"); err == nil || !place.aborted {
			t.Errorf("copying: %v, aborted %t", err, place.aborted)
		}
		if err := h.examine(t.Context(), object); err == nil {
			t.Error("examining ends well")
		}
	})
}
