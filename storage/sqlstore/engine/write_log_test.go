package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

// Rule: TOKEN-36
func TestASQLiteFileIsOlderOnceAnybodyHasWrittenToIt(t *testing.T) {
	url := sqlitetest.URL(t)
	link := filepath.Join(t.TempDir(), "link.db") // SQLite keeps the log beside what it leads to
	if err := os.Symlink(strings.TrimPrefix(url, "sqlite:"), link); err != nil {
		t.Fatal(err)
	}
	open := func(url string) *DB {
		db, err := Open(t.Context(), Options{URL: url, Version: "0.1.0", Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	other := open(url)
	for name, db := range map[string]*DB{"by its name": open(url), "by a link": open("sqlite:" + link)} {
		age := db.Age()
		if db.Age() != age {
			t.Errorf("%s: it grows older though nobody writes", name)
		}
		var n int
		if err := other.Get(t.Context(), &n, `SELECT count(*) FROM users`, Args{}); err != nil || db.Age() != age {
			t.Errorf("%s: it grows older by a look: %v", name, err)
		}
		for range 3 {
			if _, err := other.WriteOne(t.Context(), `CREATE TABLE IF NOT EXISTS scribble (n integer)`, Args{}); err != nil {
				t.Fatal(err)
			}
			if _, err := other.WriteOne(t.Context(), `INSERT INTO scribble VALUES (1)`, Args{}); err != nil {
				t.Fatal(err)
			}
			grown := db.Age()
			if grown <= age {
				t.Errorf("%s: it is as old as before somebody wrote", name)
			}
			age = grown
		}
	}
	gone := logOf(filepath.Join(t.TempDir(), "none.db"))
	for range 2 {
		if !gone.moved() {
			t.Error("what can't be seen is taken for unchanged")
		}
	}
}
