package twins_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/portico-id/portico/dataapi/pdf/pdftest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage/blobstore"
)

// failing is a store that takes copies and never makes them whole.
type failing struct {
	blobstore.Store
	begun, ended []string
}

func (f *failing) Begin(ctx context.Context, key string) (string, error) {
	f.begun = append(f.begun, key)
	return f.Store.Begin(ctx, key)
}

func (f *failing) Complete(context.Context, string, string, []blobstore.Part) error {
	return errors.New("the disk is broken")
}

func (f *failing) Abort(ctx context.Context, key, upload string) error {
	f.ended = append(f.ended, key)
	return f.Store.Abort(ctx, key, upload)
}

// A document that follows its original is tried again every half minute.
//
// Rule: TWIN-13
func TestNothingIsKeptOfACopyThatFails(t *testing.T) {
	w := newWorld(t, sqlitetest.URL(t))
	item := w.file(w.Folder, "manual.pdf", pdftest.Manual())
	store := &failing{Store: w.Blobs}
	w.Blobs = store
	w.serve()
	got := w.ok(as(writer), "POST", w.path("/documentsbulk"), []any{w.entry(item, "Manual.pdf")})
	w.Equal("failed", got.text(t, "status"))
	if len(store.begun) != 1 || !slices.Equal(store.begun, store.ended) {
		t.Errorf("begun %v, given up %v", store.begun, store.ended)
	}
}
