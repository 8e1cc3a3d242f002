package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
		age := calm(t, db)
		var n int
		if err := other.Get(t.Context(), &n, `SELECT count(*) FROM users`, Args{}); err != nil || db.Age() != age {
			t.Errorf("%s: it grows older by a look: %v", name, err)
		}
		for _, statement := range []string{`CREATE TABLE scribble (n integer)`, `INSERT INTO scribble VALUES (1)`,
			`UPDATE scribble SET n = n + 1`, `DROP TABLE scribble`} {
			if _, err := other.WriteOne(t.Context(), statement, Args{}); err != nil {
				t.Fatal(err)
			}
			if db.Age() <= age {
				t.Errorf("%s: it is as old as before somebody wrote", name)
			}
			age = calm(t, db)
		}
	}
}

// Rule: TOKEN-36
func TestNothingIsRememberedWhileWhatWasWrittenMayNotBeSeenYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "portico.db")
		l, moved := logOf(path), 0
		look := func() bool {
			before := moved
			l.look(func() { moved++ })
			return moved > before
		}
		for range 2 {
			if !look() {
				t.Error("what can't be seen is taken for unchanged")
			}
		}
		for _, text := range []string{"one", "one, two"} {
			if err := os.WriteFile(path+"-wal", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if !look() {
					t.Error("it is taken for unchanged while it settles")
				}
			}
			time.Sleep(settles)
			synctest.Wait()
			if look() {
				t.Error("it is taken for changed though it has settled")
			}
		}
	})
}

// calm waits until nobody has written for a moment, and returns the age.
func calm(t *testing.T, db *DB) uint64 {
	t.Helper()
	for range 1000 {
		if age := db.Age(); age == db.Age() {
			return age
		}
		time.Sleep(settles / 10)
	}
	t.Fatal("it grows older though nobody writes")
	return 0
}

// Who comes later writes all of it anew, for which everybody waits, however little is in use.
//
// Rule: SERVER-73
func TestALogIsNoLongerThanItHasToBeOnceALargeChangeIsInTheFile(t *testing.T) {
	db := heated(t)
	size := func() int64 {
		info, err := os.Stat(db.log.path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if _, err := db.WriteOne(t.Context(), `CREATE TABLE scribble AS SELECT zeroblob(50000000)`, Args{}); err != nil {
		t.Fatal(err)
	}
	large := size()
	for n := 0; size() >= large; n++ { // with the first write after a checkpoint the log begins anew
		if err := db.Write(t.Context(), touches); err != nil || n > 10*due {
			t.Fatal(n, err)
		}
	}
	if is := size(); large < 50e6 || is > 34e6 {
		t.Errorf("of %d bytes it has %d still", large, is)
	}
}
