package sqlstore_test

import (
	"testing"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/storage/storagetest"
)

const thisBinary = "0.1.0"

func TestMain(m *testing.M) { pgtest.Main(m) }

// Rules: ACCESS-1, ACCESS-3, ACCESS-7, ADMIN-5, PORTAL-7, SERVER-53, FED-25, FED-26, FED-27, KEY-5, ADMIN-18, JOIN-2, JOIN-6, ADMIN-27, ADMIN-28, REFRESH-13, SERVER-13, SERVER-41, SERVER-52, SERVER-55, SIGNIN-12, SIGNIN-13, DEVICE-2, DEVICE-3, FACTOR-3, FACTOR-13, FACTOR-14, FACTOR-17, FACTOR-25, ADMIN-30, ADMIN-33, POLICY-2, FED-1, FED-2, FED-3, FED-4, FED-5, FED-11, FED-13, FED-23, FED-24, DCR-1, DCR-6, PORTAL-26, FACTOR-24, HOME-15, VOUCH-4, TOKEN-36, RES-17, TOKEN-27, USAGE-3, USAGE-5, MOVE-6, MAIL-2, DPOP-14, DPOP-15
func TestContractOnSQLite(t *testing.T) { storagetest.Run(t, onSQLite()) }

// Rules: ACCESS-1, ACCESS-3, ACCESS-7, ADMIN-6, PORTAL-7, SERVER-53, FED-25, FED-26, FED-27, KEY-5, ADMIN-18, JOIN-2, JOIN-6, ADMIN-27, ADMIN-28, REFRESH-13, SERVER-13, SERVER-41, SERVER-52, SERVER-55, SIGNIN-12, SIGNIN-13, DEVICE-2, DEVICE-3, FACTOR-3, FACTOR-13, FACTOR-14, FACTOR-17, FACTOR-25, ADMIN-30, ADMIN-33, POLICY-2, FED-1, FED-2, FED-3, FED-4, FED-5, FED-11, FED-13, FED-23, FED-24, DCR-1, DCR-6, PORTAL-26, FACTOR-24, HOME-15, VOUCH-4, TOKEN-36, RES-17, TOKEN-27, USAGE-3, USAGE-5, MOVE-6, MAIL-2, DPOP-14, DPOP-15
func TestContractOnPostgreSQL(t *testing.T) { storagetest.Run(t, onPostgres()) }

func onSQLite() storagetest.Engine {
	return storagetest.Engine{
		NewDatabase: func(t testing.TB) string { return sqlitetest.URL(t) },
		Open:        openStore,
	}
}

func onPostgres() storagetest.Engine {
	return storagetest.Engine{
		NewDatabase: func(t testing.TB) string { return pgtest.URL(t) },
		Open:        openStore,
	}
}

func openStore(t testing.TB, database string, conns int) storage.Identity {
	t.Helper()
	return openURL(t, sqlstore.Options{URL: database, MaxConns: conns, Version: thisBinary, Migrate: true})
}

func openURL(t testing.TB, opts sqlstore.Options) *sqlstore.Store {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), opts)
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
