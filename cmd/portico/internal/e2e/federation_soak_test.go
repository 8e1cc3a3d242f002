package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"

	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/internal/harness/pgtest"
)

// callsASecond are those of a company; the server takes 50.
const callsASecond = 40

// throng is who comes and is watched, and beside what: for how long nobody arrives, and
// for how long upstreams stall.
type throng struct {
	people, groups int
	quiet, stalls  time.Duration
}

// throngOf is small, unless make soak-federation asks.
func throngOf() throng {
	if os.Getenv(soakFederation) == "" {
		return throng{people: 30, groups: 6, quiet: 300 * time.Millisecond, stalls: 2 * time.Second}
	}
	return throng{people: 10_000, groups: 500, quiet: 20 * time.Second, stalls: time.Minute}
}

// beside lets other tests run meanwhile, unless figures are wanted.
func beside(t *testing.T) {
	if os.Getenv(soakFederation) == "" {
		t.Parallel()
	}
}

// membersOf are the numbers of who is in a group: everybody is in five.
func (c throng) membersOf(group int) (all []int) {
	for i := range c.people {
		for j := range 5 {
			if (i*7+j*13)%c.groups == group {
				all = append(all, i)
			}
		}
	}
	return slices.Compact(all)
}

// worked is how much of the processor a process has used.
func worked(pid int) time.Duration {
	stat := strings.Fields(after(string(must(os.ReadFile("/proc/"+strconv.Itoa(pid)+"/stat"))), ") "))
	ticks := must(strconv.Atoi(stat[11])) + must(strconv.Atoi(stat[12]))
	return time.Duration(ticks) * time.Second / 100
}

// asked is how long tokens took while the work was done.
func (s *site) asked(c client, work func()) (took []time.Duration) {
	stop := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() {
		for tick := time.NewTicker(25 * time.Millisecond); ; {
			select {
			case <-stop:
				return
			case <-tick.C:
				began := time.Now()
				if s.token(c, "grant_type", "client_credentials").Status != http.StatusOK {
					s.Error("no token")
				}
				took = append(took, time.Since(began))
			}
		}
	})
	work()
	close(stop)
	asking.Wait()
	return took
}

// watched does the work, and says what it took of the server.
func (s *site) watched(what string, c client, work func()) {
	s.Helper()
	quiet := s.asked(c, func() { time.Sleep(throngOf().quiet) })
	pid := s.pid.Load().(int)
	most, used, began := peak(pid), worked(pid), time.Now()
	meanwhile := s.asked(c, work)
	took, share := time.Since(began), worked(pid)-used
	s.Logf("%s: %v, %.2f of a processor, %d MB of its own and %d MB resident at most; "+
		"p99 of a token quiet %v, meanwhile %v (median %v, %v)",
		what, took.Round(time.Second), share.Seconds()/took.Seconds(), most()>>20, residentPeak(s)>>20,
		p99(quiet), p99(meanwhile),
		quiet[len(quiet)/2].Round(10*time.Microsecond), meanwhile[len(meanwhile)/2].Round(10*time.Microsecond))
}

// Rules: LDAP-18, SCIM-18
func TestACrowdArrivesAtAServer(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a directory, which -short leaves out")
	}
	beside(t)
	all := throngOf()
	var people, groups strings.Builder
	for i := range all.people {
		people.WriteString(ldaptest.PersonLDIF("person"+strconv.Itoa(i), password))
	}
	for g := range all.groups {
		var dns []string
		for _, i := range all.membersOf(g) {
			dns = append(dns, ldaptest.PersonDN("person"+strconv.Itoa(i)))
		}
		groups.WriteString(ldaptest.GroupLDIF("group"+strconv.Itoa(g), dns...))
	}
	slapd := ldaptest.Start(t, people.String()+groups.String())
	for engine, database := range map[string]func(testing.TB) string{"SQLite": sqliteURL, "PostgreSQL": pgtest.URL} {
		t.Run(engine, func(t *testing.T) {
			beside(t)
			s := newSite(t, database(t))
			s.environ = append(s.environ, "GOMEMLIMIT=90MiB") // with the pages of the binary below 150 MB
			s.spawn()
			s.person("admin@example.test", "--admin")
			tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
			c := s.client("--type", "service", "--scope", "data:read")
			access := s.visitor("admin@example.test").withPassword().tokens(tool, "scope",
				"openid account:read account:write").text("access_token")
			t.Run("SCIM", func(*testing.T) {
				s.watched(engine+", SCIM", c, func() { s.company("Far", "far.test").sends(all) })
			})
			t.Run("LDAP", func(t *testing.T) { s.walks(engine, slapd, c, all, access) })
		})
	}
}

// walks goes through the directory twice, watched.
func (s *site) walks(engine string, slapd *ldaptest.Slapd, c client, all throng, access string) {
	s.Helper()
	s.directory(slapd, "works", "join=all", "groups_come=true", "group_base="+ldaptest.Groups)
	for _, walk := range []string{"a first walk", "a walk that finds nothing new"} {
		s.watched(engine+", LDAP, "+walk, c, func() {
			began := time.Now()
			if got := s.api(access, "POST", "/directories/works/sync", "{}"); got.Status != http.StatusNoContent {
				s.Fatalf("%d %s", got.Status, got.Body)
			}
			for ended := false; !ended; time.Sleep(100 * time.Millisecond) {
				var told struct {
					Walk struct {
						EndedAt        time.Time `json:"ended_at"`
						Outcome        string
						People, Groups int
					} `json:"last_walk"`
				}
				s.must(json.Unmarshal([]byte(s.api(access, "GET", "/directories/works", "").Body), &told))
				if ended = told.Walk.EndedAt.After(began); ended &&
					(told.Walk.Outcome != "done" || told.Walk.People != all.people || told.Walk.Groups != all.groups) {
					s.Errorf("the walk says %+v", told.Walk)
				}
			}
		})
	}
}

// sends has the company send all of them, as fast as it may.
func (c *company) sends(all throng) {
	c.Helper()
	pace := time.NewTicker(time.Second / callsASecond)
	defer pace.Stop()
	ids := make([]string, all.people)
	for i := range ids {
		<-pace.C
		ids[i] = c.ask(http.StatusCreated, "POST", "/Users", fmt.Sprintf(`{"userName":"p%d@far.test","externalId":"x%d",`+
			`"displayName":"Person %d","name":{"givenName":"P","familyName":"%d"},"title":"T","active":true,`+
			`"emails":[{"value":"p%d@far.test","primary":true}]}`, i, i, i, i, i)).text("id")
	}
	for g := range all.groups {
		<-pace.C
		var members []map[string]string
		for _, i := range all.membersOf(g) {
			members = append(members, map[string]string{"value": ids[i]})
		}
		body := must(json.Marshal(map[string]any{"displayName": "Far " + strconv.Itoa(g), "members": members}))
		c.ask(http.StatusCreated, "POST", "/Groups", string(body))
	}
}

// An upstream and a directory that take connections and say nothing, one that lies, and
// people who ask for all of them all the time; meanwhile others sign in with a password.
//
// Rules: FED-14, LDAP-12
func TestWhoSignsInAnotherWayDoesNotNoticeAnUpstreamThatStalls(t *testing.T) {
	beside(t)
	for engine, database := range map[string]func(testing.TB) string{"SQLite": sqliteURL, "PostgreSQL": pgtest.URL} {
		t.Run(engine, func(t *testing.T) {
			beside(t)
			s := newSite(t, database(t))
			s.spawn()
			s.tolerate("upstream_unreachable", `"route":"/login","status":503`)
			p := newProbes(s)
			var everybody atomic.Uint32
			from := func(r *http.Request) *http.Request { // everybody has an address of their own
				n := everybody.Add(1)
				r.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255))
				return r
			}
			tries := func(d time.Duration) (took []time.Duration) {
				for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
					began := time.Now()
					if got, err := try(s.plain, from(p.signIn(password))); err != nil || got.Status != http.StatusSeeOther {
						t.Errorf("signing in: %d %v", got.Status, err)
					}
					took = append(took, time.Since(began))
				}
				return took
			}
			quiet := tries(throngOf().stalls / 3)
			stalls := ldaptest.StartGremlin(t, func(ber.Tag, int64, *ber.Packet) [][]byte { return nil })
			lies := ldaptest.StartGremlin(t, func(_ ber.Tag, id int64, _ *ber.Packet) [][]byte {
				return [][]byte{ldaptest.Result(id+7, 5, 0, ""), []byte("nonsense")}
			})
			for id, host := range map[string]string{"stalls": stalls.URL, "lies": lies.URL} {
				s.command("", "directory", "create", id, "--kind", "openldap", "hosts="+host, "base="+ldaptest.People,
					"networks=127.0.0.0/8")
			}
			for id, issuer := range map[string]string{"silent": "http://" + closedPort(t), "down": "http://127.0.0.1:1",
				"liar": s.URL + "/nothing"} {
				s.command("", "upstream", "create", id, "--preset", "oidc", "issuer="+issuer, "client_id=portico",
					"networks=127.0.0.0/8")
			}
			stop := make(chan struct{})
			var crowd sync.WaitGroup
			for i := range 20 {
				crowd.Go(func() {
					for n := 0; ; n++ {
						select {
						case <-stop:
							return
						case <-time.After(throngOf().stalls / 60):
						}
						if i == 0 { // each costs a hash
							_, _ = try(s.plain, from(p.signInAs(fmt.Sprintf("nobody-%d", n), password)))
							continue
						}
						at := []string{"silent", "down", "liar"}[n%3]
						_, _ = try(s.plain, must(http.NewRequest("GET", s.URL+"/login/upstream/"+at, nil)))
					}
				})
			}
			meanwhile := tries(throngOf().stalls)
			close(stop)
			crowd.Wait()
			t.Logf("%s: p99 of a sign-in with a password quiet %v, beside upstreams that stall, lie and are down %v "+
				"(median %v, %v)", engine, p99(quiet), p99(meanwhile), quiet[len(quiet)/2].Round(time.Millisecond),
				meanwhile[len(meanwhile)/2].Round(time.Millisecond))
		})
	}
}
