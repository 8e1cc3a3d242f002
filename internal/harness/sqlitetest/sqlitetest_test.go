package sqlitetest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

func TestEachTestGetsItsOwnFileWithTheNewestSchema(t *testing.T) {
	first, second := open(t, sqlitetest.URL(t)), open(t, sqlitetest.URL(t))
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	user := storage.User{ID: "USERUSERUSERUSER", Email: "user@example.test", CreatedAt: now, UpdatedAt: now}
	if err := first.CreateUser(t.Context(), storage.Act{At: now}, user, ""); err != nil {
		t.Fatal(err)
	}
	for name, store := range map[string]*sqlstore.Store{"first": first, "second": second} {
		users, err := store.ListUsers(t.Context(), storage.UserFilter{}, storage.PageRequest{})
		if want := map[string]int{"first": 1}[name]; users.Total != want || err != nil {
			t.Errorf("the %s file has %d users, %v; want %d", name, users.Total, err, want)
		}
	}
}

// A copy is what the program makes of nothing, to the mode of the file.
func TestACopyIsAsTheProgramWouldHaveMadeIt(t *testing.T) {
	made := "sqlite:" + filepath.Join(t.TempDir(), "portico.db")
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: made, Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for name, url := range map[string]string{"made": made, "copied": sqlitetest.URL(t)} {
		path := strings.TrimPrefix(url, "sqlite:")
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// The version of the format is 2 with a write-ahead log (sqlite.org/fileformat.html, 1.3.3).
		if content[18] != 2 || content[19] != 2 {
			t.Errorf("the %s file has no write-ahead log", name)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the %s file: mode %v, %v; want 0600", name, info.Mode(), err)
		}
		if left, _ := filepath.Glob(path + "-*"); len(left) > 0 {
			t.Errorf("the %s file has %v beside it", name, left)
		}
	}
}

// open opens a file that needs no step any more.
func open(t *testing.T, url string) *sqlstore.Store {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: url, Version: "0.1.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}
