package e2e

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/app"
	"github.com/portico-id/portico/internal/harness/freeport"
	"github.com/portico-id/portico/internal/harness/pgtest"
)

const bouncer = "/usr/sbin/pgbouncer"

// pooler is a pgbouncer before a database of a test, in a mode: in transaction
// mode with three connections for whoever has the password.
type pooler struct {
	testing.TB
	dir, port, name string
	process         *os.Process
}

func newPooler(t *testing.T, database, password, mode string) *pooler {
	t.Helper()
	if testing.Short() {
		t.Skip("needs pgbouncer, which -short leaves out")
	}
	if _, err := os.Stat(bouncer); err != nil {
		t.Fatal("pgbouncer is missing: install it (apt-get install pgbouncer); go test -short leaves out what needs it")
	}
	u := must(url.Parse(database))
	p := &pooler{TB: t, dir: publicDir(t), port: freeport.Take(t), name: u.Path}
	p.admit(password)
	config := filepath.Join(p.dir, "pgbouncer.ini")
	p.write(config, strings.Join([]string{
		"[databases]", "* = host=" + u.Query().Get("host") + " user=" + u.User.Username(),
		"[pgbouncer]", "listen_addr = 127.0.0.1", "listen_port = " + p.port, "unix_socket_dir =",
		"auth_type = plain", "auth_file = " + p.users(), "pool_mode = " + mode,
		"default_pool_size = " + map[string]string{"transaction": "3", "session": "40"}[mode],
	}, "\n"))
	args := []string{config}
	if os.Geteuid() == 0 {
		args = append([]string{"-u", "postgres"}, args...)
	}
	cmd := exec.Command(bouncer, args...)
	runBeside(t, cmd, p.port)
	p.process = cmd.Process
	return p
}

func (p *pooler) users() string { return filepath.Join(p.dir, "users") }

func (p *pooler) write(path, text string) {
	p.Helper()
	if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
		p.Fatal(err)
	}
}

// admit lets in those with a password, of those who connect from now on.
func (p *pooler) admit(password string) {
	p.Helper()
	p.write(p.users(), `"portico" "`+password+`"`)
	if p.process != nil {
		_ = p.process.Signal(syscall.SIGHUP)
	}
}

func (p *pooler) url(password string) string {
	return "postgres://portico:" + password + "@127.0.0.1:" + p.port + p.name + "?sslmode=disable"
}

// crowd asks for many things at once, so that all connections are in use, and
// reports whether all went well.
func (p *probes) crowd() bool {
	var group sync.WaitGroup
	refused := make(chan int, 100)
	for range 6 {
		for _, request := range p.all() {
			group.Go(func() {
				if got, err := try(p.plain, request()); err != nil || got.Status >= http.StatusInternalServerError {
					refused <- got.Status
				}
			})
		}
	}
	group.Wait()
	return len(refused) == 0
}

// Rules: SERVER-48, SERVER-49
func TestAServerWorksBehindAPoolerWhosePasswordChanges(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	pool := newPooler(t, database, "one", "transaction")
	file := filepath.Join(pool.dir, "url")
	pool.write(file, pool.url("one"))
	settings := []string{"DATABASE_URL_FILE=" + file, "DATABASE_POOL=8", "DATABASE_NOTIFY_URL=" + database}

	unaware := newSite(t, "", settings...)
	var said bytes.Buffer
	if code := app.Main(t.Context(), []string{"user", "list"}, nil, &said, &said, unaware.environ); code == 0 ||
		!strings.Contains(said.String(), "PORTICO_DATABASE_POOLER=on") {
		t.Errorf("without the setting: %d %s", code, said.String())
	}

	s := newSite(t, "", append(settings, "DATABASE_POOLER=on")...)
	s.tolerate(background...)
	s.run()
	d, p := newDock(s, "docker@example.test"), newProbes(s)
	if !d.reads(s, d.access) || !p.crowd() {
		t.Error("not everything works")
	}

	pool.admit("two")
	pool.write(file, pool.url("two"))
	pgtest.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+
		strings.TrimPrefix(pool.name, "/")+"'")
	eventually(t, patience, "everything", p.crowd)
	s.command("", "user", "list")
}

// The pgbouncer of Debian 12 knows of prepared statements in session mode alone.
//
// Rule: SERVER-48
func TestAServerPreparesWhereItsPoolerKnowsOfThat(t *testing.T) {
	t.Parallel()
	pool := newPooler(t, pgtest.URL(t), "one", "session")
	s := start(t, pool.url("one"), "DATABASE_POOL=8", "DATABASE_POOLER=prepared")
	if p := newProbes(s); !p.crowd() {
		t.Error("not everything works")
	}
}
