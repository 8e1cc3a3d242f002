package pgtest

import (
	"database/sql"
	"net/url"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// Node is a server of one test's own, that may be killed, started again and
// followed by a standby.
type Node struct {
	testing.TB
	account  account
	cluster  *cluster
	settings []string
}

// NewNode makes a server whose commits, once it is followed, wait until the
// follower shows them.
func NewNode(t testing.TB) *Node {
	t.Helper()
	n := newNode(t)
	n.must(n.cluster.work(n.account, "initdb", "--pgdata="+n.cluster.data(), "--username="+superuser, "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync"))
	n.Start()
	return n
}

func newNode(t testing.TB) *Node {
	t.Helper()
	if testing.Short() {
		t.Skip("needs PostgreSQL, which -short leaves out")
	}
	n := &Node{TB: t, settings: []string{
		"max_connections=200", "wal_retrieve_retry_interval=200ms", "shared_buffers=64MB", "fsync=off",
		"full_page_writes=off", "synchronous_commit=remote_apply",
	}}
	var err error
	n.account, err = serverAccount()
	n.must(err)
	folder, err := os.MkdirTemp(diskFolder(), folderPrefix+strconv.Itoa(os.Getpid())+"-")
	n.must(err)
	n.must(n.account.own(folder))
	n.cluster = &cluster{folder: folder}
	t.Cleanup(func() {
		n.Kill()
		_ = os.RemoveAll(folder)
	})
	return n
}

func (n *Node) must(err error) {
	n.Helper()
	if err != nil {
		n.Fatal("pgtest: ", err)
	}
}

// Start starts the server and returns when it answers.
func (n *Node) Start() {
	n.Helper()
	n.cluster.exited = make(chan struct{})
	n.must(n.cluster.serve(n.account, n.settings))
	n.await("SELECT true")
}

// await returns when a question is answered with true.
func (n *Node) await(question string) {
	n.Helper()
	db, err := sql.Open("postgres", n.URL("postgres"))
	n.must(err)
	defer db.Close()
	yes := false
	for end := time.After(time.Minute); !yes; {
		err := db.QueryRow(question).Scan(&yes)
		select {
		case <-end:
			n.Fatalf("pgtest: %s: %v\n%s", question, err, n.cluster.lastWords())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Kill ends the server at once, if it runs.
func (n *Node) Kill() {
	if n.cluster.process == nil {
		return
	}
	_ = n.cluster.process.Signal(syscall.SIGQUIT)
	<-n.cluster.exited
	n.cluster.process = nil
}

// Follow returns a server that follows this one, which from then on waits for it
// with every commit.
func (n *Node) Follow() *Node {
	n.Helper()
	f := newNode(n.TB)
	n.must(f.cluster.work(f.account, "pg_basebackup", "-D", f.cluster.data(), "-d", n.URL("postgres"), "-R", "-X",
		"stream", "-c", "fast", "--no-sync"))
	f.Start()
	n.await("SELECT count(*) > 0 FROM pg_stat_replication WHERE state = 'streaming'")
	n.settings = append(n.settings, "synchronous_standby_names=*")
	n.Exec("ALTER SYSTEM SET synchronous_standby_names = '*'")
	n.Exec("SELECT pg_reload_conf()")
	n.await("SELECT count(*) > 0 FROM pg_stat_replication WHERE sync_state = 'sync'")
	return f
}

// Promote has a follower take writes, and wait for nobody.
func (n *Node) Promote() {
	n.Helper()
	n.Exec("SELECT pg_promote()")
	n.await("SELECT NOT pg_is_in_recovery()")
}

// Exec runs a statement on the maintenance database.
func (n *Node) Exec(statement string) {
	n.Helper()
	db, err := sql.Open("postgres", n.URL("postgres"))
	n.must(err)
	defer db.Close()
	_, err = db.Exec(statement)
	n.must(err)
}

// URL returns the URL of a database of the server.
func (n *Node) URL(database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.User(superuser), Path: "/" + database,
		RawQuery: url.Values{"host": {n.cluster.folder}, "sslmode": {"disable"}}.Encode(),
	}
	return u.String()
}
