package tree_test

import (
	"testing"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/storage/storagetest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func onSQLite() storagetest.Engine {
	return storagetest.Engine{NewDatabase: func(t testing.TB) string { return sqlitetest.URL(t) }, Open: openStore}
}

func onPostgres() storagetest.Engine {
	return storagetest.Engine{NewDatabase: func(t testing.TB) string { return pgtest.URL(t) }, Open: openStore}
}

func openStore(t testing.TB, database string, conns int) storage.Identity {
	t.Helper()
	store, err := sqlstore.Open(t.Context(),
		sqlstore.Options{URL: database, MaxConns: conns, Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return store
}
