package signing_test

import (
	"context"
	"sync"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// watched is a real store whose keys can be counted, taken away and held up.
type watched struct {
	storage.SigningKeyStore
	storage.SealedStore

	mu    sync.Mutex // held by a test: the store hangs
	down  bool
	lists int
}

// newStore returns an empty database.
func newStore(tb testing.TB) *watched {
	tb.Helper()
	store, err := sqlstore.Open(context.Background(), sqlstore.Options{
		URL: sqlitetest.URL(tb), Version: "0.1.0", Migrate: true,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = store.Close() })
	return &watched{SigningKeyStore: store, SealedStore: store}
}

func (w *watched) setDown(down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = down
}

func (w *watched) listed() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lists
}

func (w *watched) ListSigningKeys(ctx context.Context) ([]storage.SigningKey, error) {
	w.mu.Lock()
	w.lists++
	down := w.down
	w.mu.Unlock()
	if down {
		return nil, fault.New(fault.Unavailable, "", "The database can't be reached.")
	}
	return w.SigningKeyStore.ListSigningKeys(ctx)
}
