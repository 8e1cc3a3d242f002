package migrations_test

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	_ "github.com/lib/pq"
	_ "modernc.org/sqlite"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/migrations"
)

const thisBinary = "0.1.0"

func TestMain(m *testing.M) { pgtest.Main(m) }

// onBothEngines runs a test on an empty database of each engine.
func onBothEngines(t *testing.T, test func(*testing.T, *sql.DB, migrations.Engine)) {
	t.Run("sqlite", func(t *testing.T) {
		test(t, openSQLite(t, filepath.Join(t.TempDir(), "portico.db")), migrations.SQLite)
	})
	t.Run("postgres", func(t *testing.T) {
		test(t, openPostgres(t, pgtest.EmptyURL(t)), migrations.Postgres)
	})
}

func openSQLite(t *testing.T, path string) *sql.DB {
	t.Helper()
	return openDB(t, "sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)")
}

func openPostgres(t *testing.T, address string) *sql.DB {
	t.Helper()
	return openDB(t, "postgres", address)
}

func openDB(t *testing.T, driver, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// runner returns a runner over the steps; nil means Portico's own.
func runner(t *testing.T, db *sql.DB, engine migrations.Engine, steps fs.FS) *migrations.Runner {
	t.Helper()
	return runnerOf(t, db, engine, steps, thisBinary)
}

func runnerOf(t *testing.T, db *sql.DB, engine migrations.Engine, steps fs.FS, binary string) *migrations.Runner {
	t.Helper()
	r, err := migrations.New(migrations.Options{DB: db, Engine: engine, Binary: binary, Files: steps})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func up(t *testing.T, r *migrations.Runner) {
	t.Helper()
	if err := r.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func status(t *testing.T, r *migrations.Runner) migrations.Status {
	t.Helper()
	s, err := r.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func exec(t *testing.T, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// column returns the one column of a query.
func column(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// upTo returns Portico's steps of the engine up to the given number.
func upTo(t *testing.T, engine migrations.Engine, last int) fstest.MapFS {
	t.Helper()
	steps := fstest.MapFS{}
	for _, path := range stepFiles(t, engine, "*.sql") {
		var number int
		if _, err := fmt.Sscanf(filepath.Base(path), "%d_", &number); err != nil {
			t.Fatal(err)
		}
		if number <= last {
			steps[path] = &fstest.MapFile{Data: read(t, path)}
		}
	}
	return steps
}

// numbers returns those of Portico's own steps, in order.
func numbers(t *testing.T) []int {
	t.Helper()
	var all []int
	for _, path := range stepFiles(t, migrations.SQLite, "*.up.sql") {
		var number int
		if _, err := fmt.Sscanf(filepath.Base(path), "%d_", &number); err != nil {
			t.Fatal(err)
		}
		all = append(all, number)
	}
	return all
}

// withStep adds a step to Portico's own.
func withStep(t *testing.T, engine migrations.Engine, name, upSQL, downSQL string) fstest.MapFS {
	t.Helper()
	steps := upTo(t, engine, 9999)
	steps[string(engine)+"/"+name+".up.sql"] = &fstest.MapFile{Data: []byte(upSQL)}
	steps[string(engine)+"/"+name+".down.sql"] = &fstest.MapFile{Data: []byte(downSQL)}
	return steps
}

func stepFiles(t *testing.T, engine migrations.Engine, pattern string) []string {
	t.Helper()
	paths, err := fs.Glob(migrations.Files, string(engine)+"/"+pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no steps for %s: %v", engine, err)
	}
	slices.Sort(paths)
	return paths
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := migrations.Files.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// baseNames returns file names without folder.
func baseNames(paths []string) string {
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return strings.Join(names, "\n")
}
