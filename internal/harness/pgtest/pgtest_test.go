package pgtest_test

import (
	"bufio"
	"database/sql"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestEachTestGetsItsOwnMigratedDatabase(t *testing.T) {
	first, second := open(t, pgtest.URL(t)), open(t, pgtest.URL(t))
	if _, err := first.Exec(`INSERT INTO leases (name, holder, expires_at) VALUES ('a', 'b', 1)`); err != nil {
		t.Fatal(err)
	}
	for name, db := range map[string]*sql.DB{"first": first, "second": second} {
		var n int
		if err := db.QueryRow(`SELECT count(*) FROM leases`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if want := map[string]int{"first": 1}[name]; n != want {
			t.Errorf("the %s database has %d rows, want %d", name, n, want)
		}
	}
}

func TestAnEmptyDatabaseHasNoTables(t *testing.T) {
	var n int
	err := open(t, pgtest.EmptyURL(t)).QueryRow(`SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`).Scan(&n)
	if err != nil || n != 0 {
		t.Errorf("%d tables, %v", n, err)
	}
}

func TestTheDatabaseIsDroppedWhenTheTestEnds(t *testing.T) {
	var address string
	t.Run("user", func(t *testing.T) { address = pgtest.URL(t) })
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.Ping() == nil {
		t.Error("the database is still there")
	}
}

// childVariable makes TestKilledProcessLeavesNoServer play the process that is
// killed.
const childVariable = "PGTEST_CHILD"

func TestKilledProcessLeavesNoServer(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		os.Stdout.WriteString(pgtest.EmptyURL(t) + "\n")
		select {} // until killed
	}
	if testing.Short() {
		t.Skip("needs PostgreSQL, which -short leaves out")
	}
	if os.Getenv("PORTICO_TEST_POSTGRES_URL") != "" {
		t.Skip("a named server is not ours to end")
	}
	socket := startAndKill(t)
	for retry, give := time.NewTicker(10*time.Millisecond), time.After(30*time.Second); ; {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			return
		}
		conn.Close()
		select {
		case <-retry.C:
		case <-give:
			t.Fatal("the server outlived the process that started it")
		}
	}
}

// startAndKill runs this test as a process of its own, kills it when its server
// is up, and returns the server's socket.
func startAndKill(t *testing.T) string {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledProcessLeavesNoServer$")
	child.Env = append(os.Environ(), childVariable+"=1")
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatalf("the child says nothing: %v", err)
	}
	address, err := url.Parse(line[:len(line)-1])
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // "signal: killed"
	return filepath.Join(address.Query().Get("host"), ".s.PGSQL.5432")
}

func open(t *testing.T, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
