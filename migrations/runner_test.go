package migrations_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/migrations"
)

// Variables that make a test play a process of its own.
const (
	childEngine = "MIGRATIONS_CHILD_ENGINE"
	childURL    = "MIGRATIONS_CHILD_URL"
)

func TestStatusOfAnEmptyDatabaseIsNothingApplied(t *testing.T) {
	onBothEngines(t, func(t *testing.T, db *sql.DB, engine migrations.Engine) {
		r := runner(t, db, engine, nil)
		if got := status(t, r); got.Applied != 0 || got.Known == 0 || got.Oldest != "" {
			t.Errorf("status is %+v", got)
		}
		if err := r.CheckSupported(t.Context()); err != nil {
			t.Errorf("an empty database suits no binary: %v", err)
		}
	})
}

func TestUpTwiceChangesNothingMore(t *testing.T) {
	onBothEngines(t, func(t *testing.T, db *sql.DB, engine migrations.Engine) {
		r := runner(t, db, engine, nil)
		up(t, r)
		first := status(t, r)
		up(t, r)
		if got := status(t, r); got != first || got.Applied != got.Known || got.Oldest != thisBinary {
			t.Errorf("status is %+v, was %+v", got, first)
		}
	})
}

func TestDownTakesBackNoMoreThanIsThere(t *testing.T) {
	onBothEngines(t, func(t *testing.T, db *sql.DB, engine migrations.Engine) {
		r := runner(t, db, engine, nil)
		up(t, r)
		before := status(t, r)
		for _, steps := range []int{-1, 0, before.Applied + 1} {
			if err := r.Down(t.Context(), steps); err == nil {
				t.Errorf("took back %d of %d steps", steps, before.Applied)
			}
		}
		if got := status(t, r); got != before {
			t.Errorf("status is %+v, was %+v", got, before)
		}
	})
}

func TestAFailingStepTakesTheWholeRunBack(t *testing.T) {
	onBothEngines(t, func(t *testing.T, db *sql.DB, engine migrations.Engine) {
		broken := withStep(t, engine, "9001_broken", `CREATE TABLE half (id TEXT); SELECT * FROM nowhere`, `DROP TABLE half`)
		if err := runner(t, db, engine, broken).Up(t.Context()); err == nil {
			t.Fatal("the broken step went through")
		}
		r := runner(t, db, engine, nil)
		if got := status(t, r).Applied; got != 0 {
			t.Errorf("the database is at step %d", got)
		}
		up(t, r)
	})
}

// Rule: SERVER-10
func TestABinaryOlderThanAStepSupportsIsRefusedNamingBoth(t *testing.T) {
	onBothEngines(t, func(t *testing.T, db *sql.DB, engine migrations.Engine) {
		newer := withStep(t, engine, "9001_newer", `INSERT INTO schema_support VALUES (9001, '0.3.0')`, `SELECT 1`)
		up(t, runnerOf(t, db, engine, newer, "0.3.0"))
		for _, binary := range []string{"0.1.0", "0.2.9", "v0.2.10+build"} {
			old := runnerOf(t, db, engine, nil, binary)
			for what, err := range map[string]error{"check": old.CheckSupported(t.Context()), "up": old.Up(t.Context())} {
				var unsupported *migrations.UnsupportedError
				if !errors.As(err, &unsupported) {
					t.Fatalf("%s with %s: %v", what, binary, err)
				}
				if text := err.Error(); !strings.Contains(text, binary) || !strings.Contains(text, "0.3.0") {
					t.Errorf("%s: %q does not name both versions", what, text)
				}
			}
		}
	})
}

func TestAnOlderBinaryGoesOnWhereTheNewerSchemaListsIt(t *testing.T) {
	onBothEngines(t, func(t *testing.T, db *sql.DB, engine migrations.Engine) {
		newer := withStep(t, engine, "9001_newer", `INSERT INTO schema_support VALUES (9001, '0.1.0')`, `SELECT 1`)
		up(t, runnerOf(t, db, engine, newer, "0.3.0"))
		old := runner(t, db, engine, nil)
		if err := old.CheckSupported(t.Context()); err != nil {
			t.Error(err)
		}
		up(t, old) // nothing to do
		if got := status(t, old).Applied; got != 9001 {
			t.Errorf("the database is at step %d", got)
		}
		if err := old.Down(t.Context(), 1); err == nil {
			t.Error("the older binary took back a step that it does not know")
		}
	})
}

func TestANewerSchemaThatNamesNoBinaryIsRefused(t *testing.T) {
	onBothEngines(t, func(t *testing.T, db *sql.DB, engine migrations.Engine) {
		up(t, runner(t, db, engine, withStep(t, engine, "9001_silent", `SELECT 1`, `SELECT 1`)))
		err := runner(t, db, engine, nil).CheckSupported(t.Context())
		var unsupported *migrations.UnsupportedError
		if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "9001") {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestAVersionThatIsNoneIsRefused(t *testing.T) {
	for _, binary := range []string{"", "1", "1.2", "1.2.x", "1.2.3.4", "devel", "-1.0.0"} {
		if _, err := migrations.New(migrations.Options{Engine: migrations.SQLite, Binary: binary}); err == nil {
			t.Errorf("%q is accepted", binary)
		}
	}
}

func TestRebuildingATableKeepsItsChildrenOnSQLite(t *testing.T) {
	db := openSQLite(t, filepath.Join(t.TempDir(), "portico.db"))
	steps := withStep(t, migrations.SQLite, "9001_rebuild", `
		CREATE TABLE parent (id TEXT NOT NULL PRIMARY KEY) STRICT;
		CREATE TABLE child (parent TEXT NOT NULL REFERENCES parent (id) ON DELETE CASCADE) STRICT;
		INSERT INTO parent VALUES ('p'); INSERT INTO child VALUES ('p');`, `SELECT 1`)
	up(t, runner(t, db, migrations.SQLite, steps))
	rebuild := withStep(t, migrations.SQLite, "9002_rebuild", `
		CREATE TABLE fresh (id TEXT NOT NULL PRIMARY KEY, more TEXT) STRICT;
		INSERT INTO fresh SELECT id, NULL FROM parent; DROP TABLE parent; ALTER TABLE fresh RENAME TO parent;`, `SELECT 1`)
	for name, file := range steps {
		rebuild[name] = file
	}
	up(t, runner(t, db, migrations.SQLite, rebuild))
	if got := column(t, db, `SELECT count(*) FROM child`)[0]; got != "1" {
		t.Errorf("%s children are left", got)
	}
	if _, err := db.Exec(`INSERT INTO child VALUES ('nobody')`); err == nil {
		t.Error("foreign keys are still off after the migration")
	}
}

func TestAStepThatOrphansRowsIsTakenBackOnSQLite(t *testing.T) {
	db := openSQLite(t, filepath.Join(t.TempDir(), "portico.db"))
	steps := withStep(t, migrations.SQLite, "9001_orphan", `
		CREATE TABLE child (parent TEXT NOT NULL REFERENCES users (id)) STRICT;
		INSERT INTO child VALUES ('nobody');`, `SELECT 1`)
	if err := runner(t, db, migrations.SQLite, steps).Up(t.Context()); err == nil {
		t.Fatal("the step went through")
	}
	if got := status(t, runner(t, db, migrations.SQLite, nil)).Applied; got != 0 {
		t.Errorf("the database is at step %d", got)
	}
}

// Rule: SERVER-50
func TestFourProcessesStartingAtOnceAllSucceed(t *testing.T) {
	if os.Getenv(childEngine) != "" {
		db, engine := childDatabase(t)
		waitForParent(t)
		up(t, runner(t, db, engine, nil))
		return
	}
	forEachURL(t, func(t *testing.T, engine migrations.Engine, url string) {
		var children []*child
		for range 4 {
			children = append(children, startChild(t, engine, url))
		}
		for _, c := range children {
			c.release.Close()
		}
		for i, c := range children {
			output, _ := io.ReadAll(c.output)
			if err := c.cmd.Wait(); err != nil {
				t.Errorf("process %d: %v\n%s", i, err, output)
			}
		}
	})
}

// Rule: SERVER-50
func TestAKilledRunLeavesTheSchemaAsItWas(t *testing.T) {
	if os.Getenv(childEngine) != "" {
		stopHalfway(t)
	}
	forEachURL(t, func(t *testing.T, engine migrations.Engine, url string) {
		c := startChild(t, engine, url)
		if err := c.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.cmd.Wait() // "signal: killed"
		db := openURL(t, engine, url)
		r := runner(t, db, engine, nil)
		if got := status(t, r).Applied; got != 0 {
			t.Errorf("the database is at step %d", got)
		}
		up(t, r)
	})
}

// stopHalfway applies the first step in a child process, and waits to be killed.
func stopHalfway(t *testing.T) {
	db, engine := childDatabase(t)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := migrations.NewDriver(t.Context(), conn, engine)
	step := read(t, stepFiles(t, engine, "0001_*.up.sql")[0])
	for _, err := range []error{d.Lock(), d.SetVersion(1, true), d.Run(strings.NewReader(string(step))),
		d.SetVersion(1, false)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	waitForParent(t)
}

// child is this test running as a process of its own.
type child struct {
	cmd     *osexec.Cmd
	release io.Closer // closing it lets the child go on
	output  io.Reader
}

// startChild starts the process and returns when it waits for its parent.
func startChild(t *testing.T, engine migrations.Engine, url string) *child {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	cmd := osexec.Command(os.Args[0], "-test.run=^"+name+"$")
	cmd.Env = append(os.Environ(), childEngine+"="+string(engine), childURL+"="+url)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewReader(stdout)
	if line, err := lines.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	return &child{cmd: cmd, release: stdin, output: lines}
}

// waitForParent says that the child is ready, and returns when it is released.
func waitForParent(t *testing.T) {
	fmt.Println("ready")
	if _, err := io.ReadAll(os.Stdin); err != nil {
		t.Fatal(err)
	}
}

func childDatabase(t *testing.T) (*sql.DB, migrations.Engine) {
	engine := migrations.Engine(os.Getenv(childEngine))
	return openURL(t, engine, os.Getenv(childURL)), engine
}

func openURL(t *testing.T, engine migrations.Engine, url string) *sql.DB {
	t.Helper()
	if engine == migrations.SQLite {
		return openSQLite(t, url)
	}
	return openPostgres(t, url)
}

func forEachURL(t *testing.T, test func(*testing.T, migrations.Engine, string)) {
	t.Run("sqlite", func(t *testing.T) {
		test(t, migrations.SQLite, filepath.Join(t.TempDir(), "portico.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		test(t, migrations.Postgres, pgtest.EmptyURL(t))
	})
}

// Rule: SERVER-50
func TestAStepThatWaitsForATableHoldsUpNobodyForLong(t *testing.T) {
	url := pgtest.EmptyURL(t)
	db := openPostgres(t, url)
	up(t, runner(t, db, migrations.Postgres, upTo(t, migrations.Postgres, 2)))
	reader, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Rollback()
	if _, err := reader.ExecContext(t.Context(), `SELECT count(*) FROM clients`); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- runner(t, db, migrations.Postgres, nil).Up(t.Context()) }()
	for column(t, db, `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'clients'::regclass`)[0] == "0" {
		time.Sleep(10 * time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := db.ExecContext(ctx, `SELECT count(*) FROM clients`); err != nil {
		t.Errorf("who reads while the migration waits for another reader: %v", err)
	}
	select {
	case err := <-done:
		t.Errorf("it ended, with %v, while another held the table", err)
	default:
	}
	if err := reader.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("after its turn: %v", err)
	}
}

// Rule: SERVER-50
func TestWhatMissingStepsBlockIsKnownBefore(t *testing.T) {
	onBothEngines(t, func(t *testing.T, db *sql.DB, engine migrations.Engine) {
		if all, err := runner(t, db, engine, nil).Check(t.Context()); err != nil || len(all) != 0 {
			t.Errorf("of an empty database: %v, %v", all, err)
		}
		up(t, runner(t, db, engine, upTo(t, engine, 27)))
		all, err := runner(t, db, engine, nil).Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for _, work := range all {
			found[work.What+" "+work.Table] = work.Blocks
		}
		for what, blocks := range map[string]string{
			"ALTER TABLE one_time_links": "reading and writing", "ALTER TABLE users": "reading and writing",
			"CREATE INDEX users": "writing",
		} {
			if found[what] != blocks {
				t.Errorf("%s blocks %q, want %q", what, found[what], blocks)
			}
		}
		if _, new := found["CREATE INDEX authenticators"]; new || status(t, runner(t, db, engine, nil)).Applied != 27 {
			t.Error("it tells of a table that isn't there, or changed something")
		}
	})
}
