package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/freeport"
	"github.com/portico-id/portico/internal/harness/pgtest"
)

const (
	quickReplicas = 10 * time.Second
	chainsAtOnce  = 12
	pauseBetween  = 50 * time.Millisecond // before somebody asks again
)

func replicasTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(soakReplicas)
	if text == "" {
		return quickReplicas
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 12 {
		t.Fatalf("%s=%s: expected a number of seconds from 12", soakReplicas, text)
	}
	return time.Duration(n) * time.Second
}

// fleet is several servers behind HAProxy, on a database that has a standby, and
// clients that ask them.
type fleet struct {
	*site
	app              client
	depot            depot
	through          *http.Client // HAProxy, which has answers of its own
	servers          []*member
	primary, standby *pgtest.Node
	host             *otherHost // of the primary
	t                *testing.T
	began            time.Time
	limit            time.Duration

	mu     sync.Mutex
	all    []happening
	events []trouble
}

// member is a server of a fleet, by whatever binary.
type member struct {
	*site
	process   *process
	firstHost string // URL of the database by it
}

// trouble is what happened to the fleet. Clients may have to ask again until it
// is over.
type trouble struct {
	what        string
	began, over time.Duration
	patience    time.Duration // how long after its end nothing may succeed
}

const haproxy = `
defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 30s
  timeout check 2s
  retries 2
  option redispatch
frontend front
  bind 127.0.0.1:PORT
  default_backend portico
backend portico
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 250ms fall 2 rise 1
`

func newFleet(t *testing.T, limit time.Duration) *fleet {
	t.Helper()
	if testing.Short() {
		t.Skip("needs HAProxy and PostgreSQL, which -short leaves out")
	}
	f := &fleet{t: t, limit: limit, through: &http.Client{Timeout: 15 * time.Second}, host: newOtherHost(t),
		primary: pgtest.NewNode(t)}
	f.primary.Exec("CREATE DATABASE portico")
	f.standby = f.primary.Follow()
	dialPrimary, by := unixServer(t, f.primary.URL("portico"))
	dialStandby, _ := unixServer(t, f.standby.URL("portico"))
	lost, other := serveStall(t, f.host.listen(), dialPrimary), newStall(t, dialStandby)
	port := freeport.Take(t)
	into, _ := inBucket(t)
	f.site = newSite(t, by(lost.address()+","+other.address()), append(into, "BASE_URL=http://127.0.0.1:"+port,
		"REFRESH_GRACE=60s", "REQUEST_LIMIT=3s",
		"RATE_LIMITS=authorize=0,token=100000,introspect=100000,revoke=100000",
		"REDIS_URL=redis://127.0.0.1:"+startRedis(t)+"/0")...)
	f.tolerate(background...)
	config := haproxy
	for i := range howManyServers {
		m := &member{site: newSite(t, ""), firstHost: by(lost.address())}
		m.tolerate(background...)
		listen := freeport.Address(t)
		m.environ = append(slices.Clone(f.environ), "PORTICO_LISTEN="+listen)
		config += "  server s" + strconv.Itoa(i) + " " + listen + "\n"
		f.servers = append(f.servers, m)
		m.process = m.spawn()
	}
	file := filepath.Join(publicDir(t), "haproxy")
	f.must(os.WriteFile(file, []byte(strings.ReplaceAll(config, "PORT", port)), 0o644))
	runBeside(t, exec.Command(proxies["haproxy"].path, "-db", "-f", file), port)
	f.URL = "http://127.0.0.1:" + port
	f.address.Store("127.0.0.1:" + port)
	return f
}

// become has a server end as it should, and another binary take its place; "" is
// this one.
func (m *member) become(binary string) {
	m.Helper()
	if err := m.process.stop(); err != nil {
		m.Errorf("told to stop, it ended with %v", err)
	}
	m.binary = binary
	all := m.environ
	if binary != "" { // a release that knew of no limit, and of one host
		m.environ = slices.DeleteFunc(slices.Clone(all),
			func(s string) bool { return strings.HasPrefix(s, "PORTICO_REQUEST_LIMIT=") })
		m.environ = append(m.environ, "PORTICO_DATABASE_URL="+m.firstHost)
	}
	m.process = m.spawn()
	m.environ = all
}

// ask asks any server, and notes what came of it.
func (f *fleet) ask(h happening, path string, pairs ...string) (happening, answer) {
	return f.sends(h, f.post(path, f.app, form(pairs...)), func(got answer) string {
		switch {
		case h.What == didRevoke:
			return ""
		case h.What != didIntrospect:
			return got.text("refresh_token")
		case strings.Contains(got.Body, `"active":true`):
			return "active"
		}
		return ""
	})
}

// sends sends a request to any server, and notes what came of it, and what came out.
func (f *fleet) sends(h happening, r *http.Request, out func(answer) string) (happening, answer) {
	h.Began = time.Since(f.began)
	got, err := try(f.through, r)
	h.Ended = time.Since(f.began)
	if err == nil {
		h.Status = got.Status
	}
	if h.Status == http.StatusCreated {
		h.Status = http.StatusOK
	}
	if h.succeeded() && out != nil {
		h.Out = out(got)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, h)
	return h, got
}

func (f *fleet) history() []happening {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.all)
}

func (f *fleet) refreshed(chain int, token string) happening {
	h, _ := f.ask(happening{Chain: chain, What: didRefresh, In: token}, tokenPath, "grant_type", "refresh_token",
		"refresh_token", token)
	return h
}

// live goes on with a chain until the time is up, asks again where an answer was
// lost, and revokes every second chain in the end.
func (f *fleet) live(chain int, code string) {
	h := happening{}
	for h.Out == "" { // a code may be sent again only while nobody has answered
		h, _ = f.ask(happening{Chain: chain, What: didRedeem, In: code}, tokenPath, "grant_type", "authorization_code",
			"code", code, "redirect_uri", callback)
		if h.Status == http.StatusBadRequest {
			return // it was spent, and the answer lost: that is what a code is like
		}
	}
	token, newest := h.Out, true // whether there can't be a newer one, of which the answer was lost
	for step := 0; time.Since(f.began) < f.limit; step++ {
		if newest && step%5 == 4 {
			f.ask(happening{Chain: chain, What: didIntrospect, In: token}, "/authentication/v2/introspect", "token", token)
			continue
		}
		switch h := f.refreshed(chain, token); h.Status {
		case http.StatusOK:
			token, newest = h.Out, true
		case http.StatusBadRequest:
			return // the judge will have something to say
		default:
			newest = false
			time.Sleep(pauseBetween)
		}
	}
	if chain%2 == 0 {
		return
	}
	for {
		h, _ := f.ask(happening{Chain: chain, What: didRevoke, In: token}, "/authentication/v2/revoke", "token", token)
		if h.succeeded() {
			break
		}
		time.Sleep(pauseBetween)
	}
	for range howManyServers * 3 {
		f.refreshed(chain, token)
	}
}

// happens notes what is done to the fleet, and does it.
func (f *fleet) happens(what string, patience time.Duration, does func()) {
	e := trouble{what: what, began: time.Since(f.began), patience: patience}
	does()
	e.over = time.Since(f.began)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, e)
}

// suffer goes through what happens to servers and databases.
func (f *fleet) suffer() {
	rest := func() { time.Sleep(f.limit / 8) }
	rest()
	for i, m := range f.servers[:2] {
		f.happens("server "+strconv.Itoa(i)+" is killed", 0, m.process.kill)
		m.process = m.spawn()
	}
	rest()
	f.happens("PostgreSQL is killed", 5*time.Second, func() { f.primary.Kill(); f.primary.Start() })
	rest()
	if soaks() {
		f.roll()
		rest()
	}
	f.happens("the host of PostgreSQL is lost without a word, and the standby promoted", 10*time.Second, func() {
		f.host.vanish()
		f.primary.Kill()
		f.standby.Promote()
	})
}

// roll replaces every server by one of the release before, and back.
func (f *fleet) roll() {
	before, _ := releaseBefore(f.t)
	for _, binary := range []string{before, ""} {
		for i, m := range f.servers {
			f.happens("server "+strconv.Itoa(i)+" becomes another release", 0, func() { m.become(binary) })
		}
	}
}

func soaks() bool { return os.Getenv(soakReplicas) != "" }

// gapAfter is how long after a trouble the first act succeeded that began after it.
func (f *fleet) gapAfter(e trouble) time.Duration {
	first := f.limit
	for _, h := range f.all {
		if h.succeeded() && h.Began >= e.began && h.Ended >= e.over {
			first = min(first, h.Ended)
		}
	}
	return max(0, first-e.over)
}

// retries is how often in a row somebody had to ask for one thing again while no
// database was in trouble.
func (f *fleet) retries() int {
	most, row := 0, map[string]int{}
	for _, h := range f.all {
		excused := slices.ContainsFunc(f.events, func(e trouble) bool {
			return e.patience > 0 && h.Ended > e.began && h.Began < e.over+e.patience
		})
		name := h.What + " " + h.In
		if h.Status != 0 && h.Status < http.StatusInternalServerError || excused {
			delete(row, name)
			continue
		}
		row[name]++
		most = max(most, row[name])
	}
	return most
}

// Rule: SERVER-45
func TestReplicasLoseNothingAndSpendNothingTwice(t *testing.T) {
	t.Parallel()
	f := newFleet(t, replicasTime(t))
	f.app = f.client("--redirect-uri", callback)
	var codes []string
	for i := range chainsAtOnce {
		email := "person" + strconv.Itoa(i) + "@example.test"
		f.person(email)
		codes = append(codes, f.visitor(email).code(f.app))
	}
	f.openDepot()
	f.began, f.all = time.Now(), nil
	var clients sync.WaitGroup
	for carrier := range carriersAtOnce {
		clients.Go(func() { f.carry(carrier) })
	}
	for i, code := range codes {
		clients.Go(func() { f.live(i, code) })
	}
	f.suffer()
	clients.Wait()
	if files := f.fetches(); files < carriersAtOnce {
		t.Errorf("only %d files were uploaded", files)
	}
	f.judge()
}

func (f *fleet) judge() {
	f.Helper()
	for _, broken := range judgeHistory(f.all) {
		f.Error(broken)
	}
	good, lost := 0, 0
	for _, h := range f.all {
		if h.succeeded() {
			good++
		} else if h.Status == 0 || h.Status >= http.StatusInternalServerError {
			lost++
		}
	}
	for _, e := range f.events {
		gap := f.gapAfter(e)
		f.Logf("%v: %s, for %v; the first success %v after it", e.began.Round(time.Millisecond), e.what,
			(e.over - e.began).Round(time.Millisecond), gap.Round(time.Millisecond))
		if soaks() && e.patience > 0 && gap > e.patience {
			f.Errorf("that is more than %v", e.patience)
		}
	}
	f.Logf("%d acts succeeded, %d were lost or refused; nothing succeeded for %v at most; asked again %d times in a row at most",
		good, lost, longestGap(f.all).Round(time.Millisecond), f.retries())
	if good < chainsAtOnce {
		f.Errorf("only %d acts succeeded", good)
	}
	if soaks() && f.retries() > 1 {
		f.Error("once must do while the database is well")
	}
}
