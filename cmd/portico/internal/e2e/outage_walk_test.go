package e2e

import (
	"cmp"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/s3test"
)

// knocks are requests to every route there is, with what lets them in. They name things
// that are not there, so that a knock changes next to nothing.
type knocks struct {
	*site
	app     client
	access  string
	visitor *visitor
	leaving *visitor          // whose account a knock may end
	known   map[string]string // path variables of things that are there
	hands   int               // how many knock at once
}

// knocking are the knocks of a new administrator.
func (s *site) knocking(name string) *knocks {
	s.Helper()
	for _, one := range []string{"", "-leaving"} {
		s.person(name+one+"@example.test", "--admin")
	}
	k := &knocks{site: s, hands: 256}
	k.visitor, k.leaving = s.signedIn(name+"@example.test"), s.signedIn(name+"-leaving@example.test")
	const scopes = "openid account:read data:read data:write"
	k.app = s.client("--redirect-uri", callback, "--first-party", "--scope", scopes)
	k.access = k.visitor.tokens(k.app, "scope", scopes).text("access_token")
	return k
}

// byForm are routes to which clients send forms with their secret.
var byForm = []string{tokenPath, revokePath, introspectPath, "/authentication/v2/par",
	"/authentication/v2/device_authorization"}

var placeholder = regexp.MustCompile(`\{[^}]*\}`)

func (k *knocks) at(route deskRoute) *http.Request {
	path := placeholder.ReplaceAllStringFunc(route.template, func(variable string) string {
		return url.PathEscape(cmp.Or(k.known[strings.Trim(variable, "{}")], "nothing"))
	})
	if slices.Contains(byForm, route.template) {
		return k.post(path, k.app, form("grant_type", "client_credentials", "token", "of nobody", "scope", "data:read"))
	}
	body := ""
	if route.method != http.MethodGet {
		body = "{}"
	}
	r := must(http.NewRequest(route.method, k.URL+path, strings.NewReader(body)))
	if !isPage(route.template) && !slices.Contains(forPeople, route.template) {
		r.Header.Set("Authorization", "Bearer "+k.access)
		r.Header.Set("Content-Type", "application/json")
		return r
	}
	who := k.visitor
	if route.mayLeave() {
		who = k.leaving
	}
	for _, cookie := range who.http.Jar.Cookies(must(url.Parse(k.URL))) {
		r.AddCookie(cookie)
	}
	r.Header.Set("Content-Type", formType)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Origin", k.URL)
	return r
}

// mayLeave reports whether a knock may end the session, or the account.
func (r deskRoute) mayLeave() bool {
	return r.method == http.MethodPost && (strings.HasPrefix(r.template, "/account") || r.template == "/signout")
}

// answers are what all knocks get, each within the limit.
func (k *knocks) answers(routes []deskRoute, limit time.Duration) map[deskRoute]answer {
	k.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	plain := &http.Client{Transport: k.wire, Timeout: patience, CheckRedirect: k.plain.CheckRedirect}
	got, turns := map[deskRoute]answer{}, make(chan struct{}, k.hands)
	for _, route := range routes {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			within(k, limit, fmt.Sprint(route), func() {
				knock := k.at(route)
				knock.Header["Idempotency-Key"] = nil // a connection that the server found idle too long is no answer: try another
				one, err := try(plain, knock)
				if err != nil && slices.Contains(streams, route.template) {
					one = answer{Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"cut"}}}
				} else if err != nil {
					k.Errorf("%v: no answer: %v", route, err)
				}
				mu.Lock()
				defer mu.Unlock()
				got[route] = one
			})
		})
	}
	group.Wait()
	return got
}

// streams are routes that answer while they read: an answer that their time, or the
// database, cuts off is no ZIP file, and says so by that.
var streams = []string{"/account/v1/archive", "/account/data/archive.zip"}

// undisturbed are routes that answer this knock without the database: what they say is
// known, as a client is for a second, or the knock is turned away at the door.
var undisturbed = []string{
	"/healthz", "/readyz", "/assets/{name}", "/brand/{sheet}", "/brand-logo/{logo}", "/logos/{logo}",
	"/authentication/v2/keys", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
	"/.well-known/oauth-protected-resource", "/schema/v1/versions/{schema_id}", "/account/deleted", "/forgotten",
	"/sign-up", authorizePath, logoutPath, "/authentication/v2/register", "/login/claim", "/login/code", "/login/enrol",
	"/consent",
	"/account/v1/recovery", "/login/upstream/{upstreamId}/callback", "/login/upstream/{upstreamId}/backchannel-logout",
	"/oss/v2/signed/{ticket}", "/files/v1/archives/{ticket}",
}

// unaffected reports whether the answer of an ill server is the one of a well one, and may
// be: a form's address, asked for, leads to the form's page, and a program without the
// token of a connection is refused.
func (r deskRoute) unaffected(well, ill answer) bool {
	leads := r.method == http.MethodGet && well.Status == http.StatusSeeOther
	refused := strings.HasPrefix(r.template, "/scim/") && well.Status == http.StatusUnauthorized
	known := slices.Contains(slices.Concat(undisturbed, byForm), r.template)
	return well.Status == ill.Status && (leads || refused || known)
}

// ailment is something that a database has.
type ailment struct {
	begins, ends func()
	reads        bool // what only reads goes on
}

// walk holds every route to its promise with each ailment: an answer in time, 503 where the
// database is needed, and the answer of before soon after the end.
func (s *site) walk(ailments map[string]ailment) {
	s.Helper()
	routes := routesBelow(s.TB.(*testing.T), "/")
	well := s.knocking("well").wellAnswers(routes)
	for name, ill := range ailments {
		in, after := s.knocking("in-"+name), s.knocking("after-"+name)
		ill.begins()
		refused := 0
		for route, got := range in.answers(routes, 12*time.Second) {
			unavailable := got.Status == http.StatusServiceUnavailable
			if unavailable {
				refused++
			}
			same := ill.reads && got.Status == well[route].Status
			if unavailable && got.Header.Get("Retry-After") == "" || !unavailable && !same && !route.mayLeave() &&
				!route.unaffected(well[route], got) {
				s.Errorf("%s: %v, which is answered with %d otherwise: %d %.200s", name, route, well[route].Status, got.Status,
					got.Body)
			}
		}
		ill.ends()
		if s.Logf("%s: %d of %d routes were unavailable", name, refused, len(routes)); refused == 0 {
			s.Errorf("%s: nobody noticed", name)
		}
		s.isWell(after, routes, well)
	}
}

// wellAnswers are the answers of a server that is well, however busy the machine is.
func (k *knocks) wellAnswers(routes []deskRoute) map[deskRoute]answer {
	k.Helper()
	all := map[deskRoute]answer{}
	for left := routes; len(left) > 0; {
		got := k.answers(left, patience)
		left = slices.DeleteFunc(slices.Clone(left), func(r deskRoute) bool {
			all[r] = got[r]
			return got[r].Status != http.StatusServiceUnavailable
		})
		if k.Failed() {
			k.FailNow()
		}
	}
	return all
}

// isWell waits until every route answers as it did before: five seconds at most, and as long as
// each round of a busy machine brings some that do.
func (s *site) isWell(k *knocks, routes []deskRoute, before map[deskRoute]answer) {
	s.Helper()
	left := slices.DeleteFunc(slices.Clone(routes), deskRoute.mayLeave)
	for began := time.Now(); len(left) > 0; {
		late := time.Since(began) > 5*time.Second
		got, asked := k.answers(left, patience), len(left)
		left = slices.DeleteFunc(left, func(r deskRoute) bool {
			return got[r].Status == before[r].Status || got[r].Status == http.StatusTooManyRequests // it was asked before
		})
		if late && len(left) == asked {
			for _, r := range left {
				s.Errorf("afterwards: %v: %d instead of %d: %.200s", r, got[r].Status, before[r].Status, got[r].Body)
			}
			return
		}
	}
}

// Rule: SERVER-31
func TestEveryRouteAnswersInTimeWhateverTheDatabaseHas(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	dial, by := unixServer(t, database)
	way := newStall(t, dial)
	s := newSite(t, by(way.address()), "REQUEST_LIMIT=3s", "DATABASE_POOL=4")
	s.tolerate(background...)
	s.run()
	p := newProbes(s)
	name := strings.TrimPrefix(must(url.Parse(database)).Path, "/")
	readOnly := func(value string) {
		pgtest.Exec(t, "ALTER DATABASE "+name+" SET default_transaction_read_only = "+value)
		pgtest.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+name+"'")
	}
	s.walk(map[string]ailment{
		"silent": {begins: way.fallSilent, ends: way.speak},
		"late":   {begins: func() { way.holdBack(30 * time.Second) }, ends: func() { way.holdBack(0) }},
		"gone":   {begins: way.refuse, ends: way.speak},
		"read-only": {ends: func() { readOnly("off") }, reads: true, begins: func() {
			readOnly("on")
			s.eventually("noticing that nothing can be written", func() bool {
				_, said := p.readiness()
				return p.reads(16) && strings.Contains(said, "can't be written to") // first, that connections ended
			})
		}},
	})
}

// reads reports whether so many at once can read.
func (p *probes) reads(many int) bool {
	var failed atomic.Bool
	var group sync.WaitGroup
	for range many {
		group.Go(func() {
			if got, err := try(p.plain, p.all()["user info"]()); err != nil || got.Status != http.StatusOK {
				failed.Store(true)
			}
		})
	}
	group.Wait()
	return !failed.Load()
}

// Rules: SERVER-31, SERVER-33
func TestEveryRouteAnswersInTimeWhileTheFileIsLocked(t *testing.T) {
	t.Parallel()
	database := sqliteURL(t)
	s := newSite(t, database, "REQUEST_LIMIT=3s")
	s.tolerate(background...)
	s.run()
	db := must(sql.Open("sqlite", strings.TrimPrefix(database, "sqlite:")+patiently))
	defer db.Close()
	lock := must(db.Conn(t.Context()))
	defer lock.Close()
	says := func(statement string) func() {
		return func() { must(lock.ExecContext(t.Context(), statement)) }
	}
	s.walk(map[string]ailment{
		"locked": {begins: says("BEGIN IMMEDIATE"), ends: says("ROLLBACK"), reads: true},
	})
}

// few hands knock where routes are to work on within their time, on a machine that has other
// things to do; many, where the database is ill and most of them wait.
const few = 8

// Rule: LIMIT-5
func TestEveryRouteAnswersAsEverWhateverRedisHas(t *testing.T) {
	t.Parallel()
	port := startRedis(t)
	way := newStall(t, func() (net.Conn, error) { return net.Dial("tcp", "127.0.0.1:"+port) })
	s := newSite(t, sqliteURL(t), "REDIS_URL=redis://"+way.address()+"/0", "RATE_LIMITS=on")
	s.tolerate("Redis")
	s.run()
	routes := routesBelow(t, "/")
	before := s.knocking("well")
	before.hands = few
	well := before.wellAnswers(routes)
	for name, ill := range map[string]ailment{
		"silent": {begins: way.fallSilent}, "gone": {begins: way.refuse},
		"late":      {begins: func() { way.holdBack(30 * time.Second) }},
		"full":      {begins: tells(t, port, "CONFIG SET maxmemory 1"), ends: tells(t, port, "CONFIG SET maxmemory 0")},
		"read-only": {begins: tells(t, port, "REPLICAOF 127.0.0.1 1"), ends: tells(t, port, "REPLICAOF NO ONE")},
	} {
		in := s.knocking("in-" + name)
		in.hands = few
		ill.begins()
		turnedAway := 0
		for route, got := range in.answers(routes, 12*time.Second) {
			limited := got.Status == http.StatusTooManyRequests || well[route].Status == http.StatusTooManyRequests
			if got.Status != well[route].Status && !limited && !route.mayLeave() {
				t.Errorf("%s: %v: %d instead of %d: %.200s", name, route, got.Status, well[route].Status, got.Body)
			}
			if limited {
				turnedAway++
			}
		}
		if turnedAway > len(routes)/4 {
			t.Errorf("%s: %d of %d were told to come later, which says little", name, turnedAway, len(routes))
		}
		way.holdBack(0)
		way.speak()
		if ill.ends != nil {
			ill.ends()
		}
	}
}

// tells gives Redis a command.
func tells(t *testing.T, port, command string) func() {
	return func() {
		t.Helper()
		conn := must(net.Dial("tcp", "127.0.0.1:"+port))
		defer conn.Close()
		must(conn.Write([]byte(command + "\r\n")))
		answer := make([]byte, 64)
		if n := must(conn.Read(answer)); !strings.HasPrefix(string(answer[:n]), "+OK") {
			t.Fatalf("%s: %s", command, answer[:n])
		}
	}
}

// Rules: SERVER-44, SERVER-56
func TestEveryPageAnswersInTimeWhateverTheObjectStoreHas(t *testing.T) {
	t.Parallel()
	service := s3test.Start(t)
	way := newStall(t, func() (net.Conn, error) {
		return net.Dial("tcp", strings.TrimPrefix(service.Endpoint, "http://"))
	})
	f := furnish(t, sqliteURL(t), nil, "S3_ENDPOINT=http://"+way.address(), "S3_BUCKET="+service.Bucket,
		"S3_ACCESS_KEY="+service.AccessKey, "S3_SECRET_KEY="+service.SecretKey, "REQUEST_LIMIT=3s")
	f.tolerate(outage, ` failed"`)
	k := f.knocking("well")
	k.visitor, k.known, k.hands = f.admin, f.web, few
	routes := slices.DeleteFunc(routesBelow(t, "/"), func(r deskRoute) bool { return r.method != http.MethodGet })
	well := k.wellAnswers(routes)
	if routes := f.log.unexplained(); len(routes) > 0 {
		t.Errorf("refused, and the log does not say why: %q", routes)
	}
	for name, ill := range map[string]func(){"silent": way.fallSilent, "gone": way.refuse,
		"late": func() { way.holdBack(30 * time.Second) }} {
		ill()
		refused := 0
		for route, got := range k.answers(routes, 12*time.Second) {
			switch {
			case got.Status == http.StatusServiceUnavailable && got.Header.Get("Retry-After") != "":
				refused++
			case got.Status != well[route].Status:
				t.Errorf("%s: %v: %d instead of %d: %.200s", name, route, got.Status, well[route].Status, got.Body)
			}
		}
		if t.Logf("%s: %d of %d routes were unavailable", name, refused, len(routes)); refused == 0 {
			t.Errorf("%s: nobody noticed", name)
		}
		way.holdBack(0)
		way.speak()
		f.isWell(k, routes, well)
	}
}
