package engine

import (
	"context"
	"testing"

	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

const counting = `SELECT count(*) FROM users`

func heated(t *testing.T) *DB {
	t.Helper()
	db, err := Open(t.Context(), Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true},
		Hot{Write: []string{counting}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestAHotStatementIsPreparedAsSoonAsItIsWorthIt(t *testing.T) {
	db := heated(t)
	ask := func(query string) {
		t.Helper()
		var n int
		// The transaction has the only connection that writes.
		if err := db.Write(t.Context(), func(tx Tx) error { return tx.Get(t.Context(), &n, query, Args{}) }); err != nil {
			t.Fatal(err)
		}
	}
	for i := range worth + 2 {
		ask(counting)
		ask(`SELECT 1`)
		db.writer.hot.beside.Wait()
		stmt := db.writer.hot.byQuery[counting].stmt.Load()
		if prepared := i+1 >= worth; prepared != (stmt != nil) {
			t.Errorf("prepared after %d times: %v", i+1, stmt != nil)
		}
	}
	if db.writer.hot.has(`SELECT 1`) || db.reader.hot.has(counting) {
		t.Error("what is not hot there is")
	}
}

func TestAHotStatementIsWatchedOnlyWhereItWaits(t *testing.T) {
	db := heated(t)
	watched := func(ctx context.Context) bool { return db.writer.calm(ctx).Done() != nil }
	ctx, cancel := context.WithCancel(t.Context())
	if watched(ctx) {
		t.Error("a statement that can begin is watched")
	}
	turn, err := db.writer.db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !watched(ctx) {
		t.Error("a statement that waits for a connection is not watched")
	}
	if err := turn.Close(); err != nil {
		t.Fatal(err)
	}
	if cancel(); !watched(ctx) {
		t.Error("a statement that nobody waits for begins")
	}
}

func TestADatabaseClosesWhileAStatementWaitsToBePrepared(t *testing.T) {
	db := heated(t)
	turn, err := db.writer.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range worth {
		db.writer.hot.find(counting)
	}
	if err := db.writer.hot.close(); err != nil {
		t.Error(err)
	}
	db.writer.hot.byQuery[counting].runs.Store(worth - 1)
	db.writer.hot.find(counting) // after the end: nothing is begun
	db.writer.hot.beside.Wait()
	if err := turn.Close(); err != nil || db.writer.hot.find(counting) != nil {
		t.Error(err)
	}
}

// SQLite looks into a parameter that is a limit by itself when it plans, and parses a prepared
// statement again for each value: that took as long as to run it.
func TestALimitHasNoStatementParsedAgain(t *testing.T) {
	const query = "SELECT id FROM users LIMIT :limit"
	if got := sqliteDialect().text(query); got != "SELECT id FROM users LIMIT 0 + :limit" {
		t.Errorf("SQLite gets %s", got)
	}
	if got := postgresDialect().text(query); got != query {
		t.Errorf("PostgreSQL gets %s", got)
	}
}
