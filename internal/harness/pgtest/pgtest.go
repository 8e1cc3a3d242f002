// Package pgtest gives tests a real PostgreSQL that exists only for them.
//
// The first test that asks starts one server for its process, from the
// installed binaries, in a temporary folder and reachable through a Unix socket
// only. Each test gets a database of its own, copied from a template. With
// -short such tests are skipped, for the quick loop; otherwise a missing
// PostgreSQL fails them.
//
// A package that uses it has
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
//
// and its tests call URL, or EmptyURL for a database without a schema. Where
// PORTICO_TEST_POSTGRES_URL names a server (as a user that may create
// databases), that one is used. With PORTICO_TEST_POSTGRES_DURABLE=1 the own
// server keeps its data on disk, as one in earnest does: for measuring.
//
// The package keeps a process-wide server: that is its purpose, and no program
// but a test may import it.
package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
)

// shared is the server of this process, started when the first test asks.
var shared struct {
	once   sync.Once
	server *server
	err    error
}

// Main runs a package's tests, takes the server down and ends the process. m is
// the *testing.M, or what a package wraps around it.
func Main(m interface{ Run() int }) {
	code := m.Run()
	if shared.server != nil {
		if err := shared.server.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "pgtest:", err)
		}
	}
	os.Exit(code)
}

// URL returns the URL of a fresh database with the newest schema and no rows.
// It is dropped when the test ends.
func URL(t testing.TB) string {
	t.Helper()
	return fresh(t, (*server).migratedTemplate)
}

// EmptyURL returns the URL of a fresh database without a schema. It is dropped
// when the test ends.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return fresh(t, func(*server, context.Context) (string, error) { return "template0", nil })
}

// PID returns the number of the server's first process, whose children do the work; 0 of
// one that is not ours.
func PID(t testing.TB) int {
	t.Helper()
	if own := get(t).own; own != nil {
		return own.process.Pid
	}
	return 0
}

// Version returns what the server calls its version.
func Version(t testing.TB) (version string) {
	t.Helper()
	if err := get(t).admin.QueryRowContext(t.Context(), `SHOW server_version`).Scan(&version); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return version
}

// Exec runs statements, such as those that make a user, on the server's
// maintenance database. An error fails the test.
func Exec(t testing.TB, statements string) {
	t.Helper()
	if _, err := get(t).admin.ExecContext(t.Context(), statements); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
}

// Give gives a folder to the account of the tests' server, such as for tables of its own.
func Give(t testing.TB, folder string) {
	t.Helper()
	account, err := serverAccount()
	if err == nil {
		err = account.own(folder)
	}
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
}

// Analyze gathers statistics of a database, which the tests' server leaves alone.
func Analyze(t testing.TB, url string) {
	t.Helper()
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `VACUUM ANALYZE`); err != nil {
		t.Fatal(err)
	}
}

// fresh makes a database for the test from a template.
func fresh(t testing.TB, template func(*server, context.Context) (string, error)) string {
	t.Helper()
	s := get(t)
	from, err := template(s, t.Context())
	if err != nil {
		t.Fatalf("pgtest: making the template database: %v", err)
	}
	name, err := s.create(t.Context(), from)
	if err != nil {
		t.Fatalf("pgtest: making a database: %v", err)
	}
	t.Cleanup(func() {
		if err := s.drop(context.WithoutCancel(t.Context()), name); err != nil {
			t.Errorf("pgtest: dropping the test's database: %v", err)
		}
	})
	return s.url(name)
}

// get returns the running server.
func get(t testing.TB) *server {
	t.Helper()
	if testing.Short() {
		t.Skip("needs PostgreSQL, which -short leaves out")
	}
	shared.once.Do(func() { shared.server, shared.err = start() })
	if errors.Is(shared.err, errNotInstalled) {
		t.Fatalf("pgtest: %v: install it (apt-get install postgresql), put initdb and postgres into PATH, "+
			"or name a server in %s; go test -short leaves out what needs it", shared.err, serverVariable)
	}
	if shared.err != nil {
		t.Fatalf("pgtest: starting PostgreSQL: %v", shared.err)
	}
	return shared.server
}
