package e2e

import (
	"context"
	"database/sql"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
)

// outage is what a site's log may say of a database that fails.
const outage = `"fault":"unavailable"`

// background is how work that nobody waits for tells that it failed.
var background = []string{outage, ` failed"`, "unavailable: ", `"route":"/readyz"`}

// probes are requests to parts of the server that need the database.
type probes struct {
	*site
	app     client
	access  string
	refresh string
	visitor *visitor
}

func newProbes(s *site) *probes {
	s.Helper()
	s.person("person@example.test")
	p := &probes{site: s, app: s.client("--redirect-uri", callback, "--scope", "openid email data:read")}
	p.visitor = s.visitor("person@example.test")
	tokens := p.visitor.tokens(p.app)
	p.access, p.refresh = tokens.text("access_token"), tokens.text("refresh_token")
	return p
}

// all are the requests by name. None of them changes what the others need.
func (p *probes) all() map[string]func() *http.Request {
	get := func(path string) func() *http.Request {
		return func() *http.Request {
			r := must(http.NewRequest(http.MethodGet, p.URL+path, nil))
			r.Header.Set("Authorization", "Bearer "+p.access)
			return r
		}
	}
	post := func(path string, v url.Values) func() *http.Request {
		return func() *http.Request { return p.post(path, p.app, v) }
	}
	return map[string]func() *http.Request{
		"token":      post(tokenPath, form("grant_type", "client_credentials", "scope", "data:read")),
		"introspect": post("/authentication/v2/introspect", form("token", p.access)),
		"revoke":     post("/authentication/v2/revoke", form("token", "of nobody")),
		"user info":  get("/userinfo"),
		"hubs":       get("/project/v1/hubs"),
		"sign-in":    func() *http.Request { return p.signIn(password) },
	}
}

func (p *probes) signIn(password string) *http.Request {
	return p.signInAs("person@example.test", password)
}

func (p *probes) signInAs(name, password string) *http.Request {
	body := form("username", name, "password", password).Encode()
	r := must(http.NewRequest(http.MethodPost, p.URL+"/login", strings.NewReader(body)))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", p.URL)
	return r
}

// refused checks that all at once are answered in time with 503 and when to come
// back.
func (p *probes) refused(limit time.Duration) {
	p.Helper()
	var group sync.WaitGroup
	for name, request := range p.all() {
		group.Go(func() {
			within(p, limit, name, func() {
				got, err := try(p.plain, request())
				if err != nil {
					p.Errorf("%s: no answer: %v", name, err)
					return
				}
				if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
					p.Errorf("%s: %d, Retry-After %q: %s", name, got.Status, got.Header.Get("Retry-After"), got.Body)
				}
			})
		})
	}
	group.Wait()
}

// back checks that all work again soon.
func (p *probes) back(limit time.Duration) {
	p.Helper()
	var group sync.WaitGroup
	for name, request := range p.all() {
		group.Go(func() {
			took := eventually(p, limit, name, func() bool {
				got, err := try(p.plain, request())
				return err == nil && got.Status < http.StatusInternalServerError
			})
			p.Logf("%s works again after %v", name, took.Round(10*time.Millisecond))
		})
	}
	group.Wait()
}

func (p *probes) readiness() (int, string) {
	got, err := try(p.plain, must(http.NewRequest(http.MethodGet, p.URL+"/readyz", nil)))
	p.must(err)
	return got.Status, got.Body
}

// checkOutage runs what every outage of the database has in common.
func (p *probes) checkOutage(limit time.Duration, says string) {
	p.Helper()
	within(p, 5*time.Second, "readiness", func() {
		if status, body := p.readiness(); status != http.StatusServiceUnavailable || !strings.Contains(body, says) {
			p.Errorf("readiness: %d %s", status, body)
		}
	})
	within(p, 2*time.Second, "liveness", func() {
		if got, err := try(p.plain, must(http.NewRequest(http.MethodGet, p.URL+"/healthz", nil))); err != nil ||
			got.Status != http.StatusOK {
			p.Errorf("liveness: %v, %v", got.Status, err)
		}
	})
	p.refused(limit)
}

// Rule: SERVER-31
func TestADatabaseThatFallsSilentIsWaitedForNoLongerThanSaid(t *testing.T) {
	t.Parallel()
	dial, by := unixServer(t, pgtest.URL(t))
	way := newStall(t, dial)
	s := newSite(t, by(way.address()), "REQUEST_LIMIT=3s", "DATABASE_POOL=4")
	s.tolerate(background...)
	s.run()
	p := newProbes(s)
	way.fallSilent()
	p.checkOutage(8*time.Second, "database: ")
	way.speak()
	p.back(20 * time.Second)
}

// Rule: SERVER-31
func TestADatabaseThatResetsItsConnectionsIsThereAgainAtOnce(t *testing.T) {
	t.Parallel()
	dial, by := unixServer(t, pgtest.URL(t))
	way := newStall(t, dial)
	s := newSite(t, by(way.address()), "DATABASE_POOL=4")
	s.tolerate(background...)
	s.run()
	p := newProbes(s)
	way.reset()
	p.back(5 * time.Second)
}

// Rule: SERVER-34
func TestADatabaseThatTurnsReadOnlyIsNoFailureOfOurs(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	s := newSite(t, database)
	s.tolerate(background...)
	s.run()
	p := newProbes(s)
	readOnly := func(value string) {
		u := must(url.Parse(database))
		name := strings.TrimPrefix(u.Path, "/")
		pgtest.Exec(t, "ALTER DATABASE "+name+" SET default_transaction_read_only = "+value)
		pgtest.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+name+"'")
	}
	readOnly("on")
	status, body := 0, ""
	eventually(t, 10*time.Second, "noticing it", func() bool {
		status, body = p.readiness() // first the connections that ended are noticed
		return strings.Contains(body, "can't be written to")
	})
	if status != http.StatusServiceUnavailable {
		t.Errorf("readiness: %d %s", status, body)
	}
	wrong := func() int { return must(try(p.plain, p.signIn("a wrong password"))).Status }
	if got := wrong(); got != http.StatusServiceUnavailable {
		t.Errorf("a failed sign-in that can't be noted: %d", got)
	}
	if got := s.userInfo(p.access); got.Status != http.StatusOK {
		t.Errorf("what is only read: %d %s", got.Status, got.Body)
	}
	readOnly("off")
	eventually(t, 10*time.Second, "noting a failed sign-in",
		func() bool { return wrong() == http.StatusUnprocessableEntity })
}

// Rules: SERVER-31, SERVER-33
func TestALockedFileIsWaitedForNoLongerThanSaid(t *testing.T) {
	t.Parallel()
	database := sqliteURL(t)
	s := newSite(t, database, "REQUEST_LIMIT=3s")
	s.tolerate(background...)
	s.run()
	p := newProbes(s)
	db := must(sql.Open("sqlite", strings.TrimPrefix(database, "sqlite:")+patiently))
	defer db.Close()
	lock := must(db.Conn(context.Background()))
	_, err := lock.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	s.must(err)
	within(t, 8*time.Second, "a refresh", func() {
		got, err := try(p.plain, p.post(tokenPath, p.app, form("grant_type", "refresh_token", "refresh_token", p.refresh)))
		s.must(err)
		if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	})
	if got := s.userInfo(p.access); got.Status != http.StatusOK {
		t.Errorf("what is only read: %d %s", got.Status, got.Body)
	}
	_, err = lock.ExecContext(t.Context(), "ROLLBACK")
	s.must(err)
	p.back(10 * time.Second)
}
