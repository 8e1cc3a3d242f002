package e2e

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/app"
	"github.com/portico-id/portico/cmd/portico/internal/commands"
	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	passwords "github.com/portico-id/portico/internal/password"
)

// site is a Portico that can be reached: its database and settings, and the
// server that answers for it now.
type site struct {
	testing.TB
	URL     string   // the issuer
	environ []string // what servers and the command line are set with
	binary  string   // of processes; empty: this one
	address atomic.Value
	pid     atomic.Value    // of the process spawned last
	clock   *ambient.Source // of the server in this process; nil: the machine's
	log     *logBook
	plain   *http.Client    // follows nothing, keeps nothing
	wire    *http.Transport // below plain: the connections

	someApp string // the id of one, to be named in forms

	opened sync.Once
	beside *sql.DB // see kept
	desk   desk

	tolerated []string // words of the lines of trouble that a test is about
}

const siteSecret = "a secret for tests, forty characters long"

// patience is how long a test waits for what must happen. It is no promise
// about speed: whoever waits that long waits for ever.
const patience = 60 * time.Second

func sqliteURL(t testing.TB) string { return sqlitetest.URL(t) }

// dataDir is where the site keeps files.
func (s *site) dataDir() string { return s.setting("DATA_DIR") }

// setting is what the site was told first.
func (s *site) setting(name string) string {
	for _, setting := range s.environ {
		if value, ok := strings.CutPrefix(setting, "PORTICO_"+name+"="); ok {
			return value
		}
	}
	return ""
}

// eachEngine runs the test on SQLite and, outside the quick loop, on PostgreSQL:
// on both at once, for either waits more than it computes.
func eachEngine(t *testing.T, test func(t *testing.T, database string)) {
	inTurn(t, func(t *testing.T, database string) {
		t.Parallel()
		test(t, database)
	})
}

// inTurn is eachEngine for tests that take all that the machine has.
func inTurn(t *testing.T, test func(t *testing.T, database string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, sqliteURL(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, pgtest.URL(t)) })
}

// newSite is a site without a server. Settings are NAME=value without prefix.
func newSite(t testing.TB, database string, settings ...string) *site {
	t.Helper()
	s := &site{TB: t, log: newLogBook()}
	base := []string{
		"LISTEN=127.0.0.1:0", "DATABASE_URL=" + database, "DATA_DIR=" + t.TempDir(), "SECRET=" + siteSecret,
		"RATE_LIMITS=off", "TRUSTED_PROXIES=127.0.0.1",
	}
	for _, setting := range append(base, settings...) {
		if !strings.HasPrefix(setting, trusting) {
			setting = "PORTICO_" + setting
		}
		s.environ = append(s.environ, setting)
	}
	s.wire = s.transport()
	s.plain = &http.Client{
		Timeout: patience, Transport: newDescribed(s),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(s.judgeLog)
	return s
}

// transport reaches the present server under the site's name, wherever that
// listens now.
func (s *site) transport() *http.Transport {
	var dialer net.Dialer
	return &http.Transport{
		MaxIdleConnsPerHost: 64,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if "http://"+address == s.URL {
				address, _ = s.address.Load().(string)
			}
			return dialer.DialContext(ctx, network, address)
		},
	}
}

// judgeLog fails the test for failures of the server's own and for data races.
func (s *site) judgeLog() {
	if trouble := s.untold(s.log.trouble()); trouble != "" {
		s.Errorf("the server logged\n%s", trouble)
		return
	}
	if s.Failed() {
		text, _ := s.log.read()
		s.Logf("the server's log ends\n%s", text[max(0, len(text)-4000):])
	}
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// start runs the application in this process until the test ends.
func start(t testing.TB, database string, settings ...string) *site {
	t.Helper()
	s := newSite(t, database, settings...)
	s.run()
	return s
}

// run serves in this process.
func (s *site) run() {
	s.Helper()
	c, err := config.Load(config.Sources{Environ: s.environ})
	s.must(err)
	s.givesKeys()
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.Context()))
	source := cmp.Or(s.clock, ambient.System())
	a, err := app.New(ctx, c, app.Options{Log: slog.New(slog.NewJSONHandler(s.log, nil)), Ambient: source,
		KeysAhead: -1, Hasher: passwords.NewCheap(source), Pair: s.pair}) // what costs most of a test's time
	if err != nil {
		cancel()
		s.Fatal(err)
	}
	s.URL = a.URL()
	s.address.Store(a.Addr())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	s.Cleanup(func() {
		s.wire.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			s.Errorf("the server ended with %v", err)
		}
		if err := a.Close(); err != nil {
			s.Errorf("closing the server: %v", err)
		}
	})
}

// command runs portico with the site's settings and returns what it printed.
// It must succeed.
func (s *site) command(stdin string, args ...string) string {
	s.Helper()
	said, trouble := s.commanded(stdin, args...)
	if trouble != "" {
		s.Fatalf("portico %s: %s", strings.Join(args, " "), trouble)
	}
	return said
}

// commanded is command that may fail: then there is trouble.
func (s *site) commanded(stdin string, args ...string) (said, trouble string) {
	var stdout, stderr bytes.Buffer
	code := commands.Execute(s.Context(), &commands.Env{
		Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr, Environ: append([]string{}, s.environ...),
		Ambient: ambient.System(), Hasher: passwords.NewCheap(ambient.System()), Pair: s.pair, Store: s.desk.store(s),
	}, args, nil)
	if code != 0 {
		trouble = fmt.Sprintf("exit code %d: %s", code, stderr.String())
	}
	return stdout.String(), trouble
}

// commandJSON is command with --json, whose object goes into v.
func (s *site) commandJSON(v any, stdin string, args ...string) {
	s.Helper()
	s.must(json.Unmarshal([]byte(s.command(stdin, append(args, "--json")...)), v))
}

const password = "correct horse battery staple"

// person adds somebody who signs in with password.
func (s *site) person(email string, flags ...string) string {
	s.Helper()
	var made struct{ ID string }
	args := []string{"user", "create", "--email", email, "--email-verified", "--name", "Demo Person", "--password-stdin"}
	s.commandJSON(&made, password, append(args, flags...)...)
	return made.ID
}

// client is a registered application.
type client struct {
	ID           string   `json:"client_id"`
	Secret       string   `json:"client_secret"`
	RedirectURIs []string `json:"redirect_uris"`
}

const callback = "https://app.example.test/callback"

// client registers an application; without other flags it is a web application
// of the standard profile with one callback.
func (s *site) client(flags ...string) client {
	s.Helper()
	if len(flags) == 0 {
		flags = []string{"--redirect-uri", callback}
	}
	args := []string{"client", "create", "--name", "Example App"}
	if !contains(flags, "--type") {
		args = append(args, "--type", "web")
	}
	if !contains(flags, "--profile") {
		args = append(args, "--profile", "standard")
	}
	var made client
	s.commandJSON(&made, "", append(args, flags...)...)
	return made
}

func contains(list []string, value string) bool {
	for _, one := range list {
		if one == value {
			return true
		}
	}
	return false
}

// form makes values of pairs.
func form(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}
