package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// A two-legged token is stateless (decision T2): issuing one leaves the
// database as it is. SQLite tells other connections' commits by data_version,
// PostgreSQL hands out a transaction id to whoever writes.
// Rule: TOKEN-23
func TestIssuingATwoLeggedTokenWritesNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		a := w.app(apps.Registration{Type: storage.ClientService})
		w.granted(a, credentials()) // keys and statements are warm
		driver, source, query := "sqlite", strings.TrimPrefix(database, "sqlite:"), "PRAGMA data_version"
		if strings.HasPrefix(database, "postgres") {
			driver, source, query = "postgres", database, "SELECT txid_snapshot_xmax(txid_current_snapshot())"
		}
		db := sqlx.MustConnect(driver, source)
		db.SetMaxOpenConns(1)
		t.Cleanup(func() { _ = db.Close() })
		version := func() (v int64) {
			w.must(db.Get(&v, query))
			return v
		}
		before := version()
		for range 20 {
			if got := w.token(a, credentials()); got.Status != http.StatusOK {
				t.Fatalf("got %d %s", got.Status, got.Body)
			}
		}
		if after := version(); after != before {
			t.Errorf("something was written: %d before, %d after", before, after)
		}
		w.person(somebody)
		if version() == before {
			t.Error("a write goes unnoticed: this test can't fail")
		}
	})
}
