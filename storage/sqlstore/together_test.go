package sqlstore_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/storage/storagetest"
)

// Two processes of four workers each change one tree.
const (
	workersEach     = 4
	otherProcessEnv = "PORTICO_TEST_OTHER_PROCESS" // makes the test play the other process
	readyLine       = "ready\n"
	readOnly        = "&_pragma=query_only(1)"
)

// job is what the other process is told.
type job struct {
	Database string
	Project  storage.Project
	UserID   string
	Steps    int
}

func TestWorkersOfTwoProcessesKeepTheTreeWholeOnSQLite(t *testing.T) { workTogether(t, onSQLite()) }

func TestWorkersOfTwoProcessesKeepTheTreeWholeOnPostgreSQL(t *testing.T) {
	workTogether(t, onPostgres())
}

func workTogether(t *testing.T, engine storagetest.Engine) {
	if text := os.Getenv(otherProcessEnv); text != "" {
		beTheOther(t, text)
		return
	}
	database := engine.NewDatabase(t)
	engine.NewDatabase = func(testing.TB) string { return database }
	w := storagetest.NewTree(t, engine)
	user := w.User().ID
	j := job{Database: database, Project: w.Project, UserID: user, Steps: max(1, modelSteps(t)/(2*workersEach))}
	db := openRaw(t, database, readOnly)
	end := startTheOther(t, j)
	made, err := j.workers(w.Data, db, 0).Run(t.Context())
	t.Logf("%d of %d changes here; there: %s", made, workersEach*j.Steps, end())
	if err != nil {
		t.Fatal(err)
	}
	s, err := takeSnapshot(t.Context(), db)
	w.Must(err)
	if err := s.check(); err != nil {
		t.Error(err)
	}
	for _, f := range s.folders {
		if got := w.Level(user, f.UID); got != s.level(f) {
			t.Errorf("the level in %s is %v, want %v", f.UID, got, s.level(f))
		}
	}
}

// workers are those of one process; each looks at the whole tree after each of
// its changes.
func (j job) workers(data storage.Store, db *sqlx.DB, first int) storagetest.Workers {
	return storagetest.Workers{
		Data: data, Project: j.Project, UserID: j.UserID, First: first, Count: workersEach, Steps: j.Steps,
		After: func(ctx context.Context) error {
			s, err := takeSnapshot(ctx, db)
			if err != nil {
				return err
			}
			return s.check()
		},
	}
}

// openRaw opens a database beside the store, to look into its tables; on SQLite
// with further settings.
func openRaw(t testing.TB, database, settings string) *sqlx.DB {
	t.Helper()
	driver, name := "postgres", database
	if file, isFile := strings.CutPrefix(database, "sqlite:"); isFile {
		driver, name = "sqlite", "file:"+file+"?_pragma=busy_timeout(10000)"+settings
	}
	db, err := sqlx.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// startTheOther runs this test in a process of its own until its workers can
// begin, and returns how to await its end, which says how many changes were
// made.
func startTheOther(t *testing.T, j job) func() string {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), otherProcessEnv+"="+string(text))
	pipe, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	output := bufio.NewReader(pipe)
	for line := ""; line != readyLine; {
		if line, err = output.ReadString('\n'); err != nil {
			t.Fatalf("the other process did not begin: %v, %v", err, child.Wait())
		}
	}
	return func() string {
		var said bytes.Buffer
		_, _ = said.ReadFrom(output)
		if err := child.Wait(); err != nil {
			t.Errorf("the other process: %v\n%s", err, said.String())
		}
		return strings.TrimSpace(said.String())
	}
}

// beTheOther is the other process.
func beTheOther(t *testing.T, text string) {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		t.Fatal(err)
	}
	store := openURL(t, sqlstore.Options{URL: j.Database, Version: thisBinary})
	db := openRaw(t, j.Database, readOnly)
	_, _ = os.Stdout.WriteString(readyLine)
	made, err := j.workers(store, db, workersEach).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d changes", made, workersEach*j.Steps)
}
