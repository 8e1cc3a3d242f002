// Package sqlitetest gives tests SQLite files that have the newest schema
// already.
//
// Applying every step of the schema takes more than half a second under the
// race detector, and most tests want nothing but the result. So each process
// migrates one file, and a test gets a copy of it. Tests of the migrations
// themselves, and of programs that apply them, begin without a file instead.
//
// Start at URL. The package keeps a process-wide template, as internal/harness/pgtest
// does: no program but a test may import it.
package sqlitetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/portico-id/portico/migrations"
)

// newestBinary is a version that every schema supports.
const newestBinary = "999999.0.0"

// template is a migrated file, made when the first test asks.
var template = sync.OnceValues(migrated)

// URL returns the URL of a fresh file with the newest schema and no rows, in a
// folder that goes when the test ends.
func URL(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "portico.db")
	Create(t, path)
	return "sqlite:" + path
}

// Create makes such a file at the path, where there must be none.
func Create(t testing.TB, path string) {
	t.Helper()
	content, err := template()
	if err != nil {
		t.Fatalf("sqlitetest: making the template: %v", err)
	}
	if err := write(path, content); err != nil {
		t.Fatalf("sqlitetest: %v", err)
	}
}

func write(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// migrated returns the content of a file with every step applied.
func migrated() (content []byte, err error) {
	folder, err := os.MkdirTemp("", "portico-sqlitetest-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "portico.db")
	if err := migrate(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// migrate applies every step to a file that has a write-ahead log, as the
// program's own files have. Closing it moves the log into the file.
func migrate(path string) (err error) {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.Exec(`PRAGMA journal_mode = WAL`); err != nil {
		return fmt.Errorf("switching to a write-ahead log: %w", err)
	}
	runner, err := migrations.New(migrations.Options{DB: db, Engine: migrations.SQLite, Binary: newestBinary})
	if err != nil {
		return err
	}
	return runner.Up(context.Background())
}
