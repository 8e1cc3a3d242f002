package e2e

import (
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
)

// soakReplicas sets for how many seconds clients use the replicas while they and
// the database fail; make soak-replicas sets it to the full size.
const soakReplicas = "PORTICO_SOAK_REPLICAS"

const howManyServers = 3

// toggle is something that can be taken and given back.
type toggle struct {
	take, give func()
	stands     func(at *site) bool
}

// toggles are the ways to narrow what lasts; what ends with it is made anew each
// time.
func toggles(d *dock) map[string]toggle {
	d.Helper()
	does := func(args ...string) func() { return func() { d.command("", args...) } }
	reads := func(at *site) bool { return d.reads(at, d.access) }
	colleague := func(at *site) bool { return d.reads(at, d.colleagues) }
	again := func() { d.access = d.person.tokens(d.app, "scope", appScopes).text("access_token") }
	anew := func() { d.person = d.signedIn(d.person.email); again() }
	robot := func(at *site) bool {
		return at.token(d.machine.owner, "grant_type", jwtBearer, "assertion", d.machine.sign("")).Status == http.StatusOK
	}
	page := d.client("--type", "spa", "--redirect-uri", callback, "--origin", "https://one.example.test")
	d.command("", "group", "create", "--hub", d.hub, "--name", "Crew")
	d.command("", "group", "add", "--hub", d.hub, "--group", "Crew", "--user", d.colleague.email)
	d.command("", "grant", "remove", "--project", d.project, "--folder", d.folder, "--user", d.colleague.email)
	d.command("", "grant", "set", "--project", d.project, "--folder", d.folder, "--group", "Crew", "--level", "edit")
	return map[string]toggle{
		"a client": {does("client", "disable", d.manager.ID), does("client", "enable", d.manager.ID), func(at *site) bool {
			return at.token(d.manager, "grant_type", "client_credentials").Status == http.StatusOK
		}},
		"scopes of a client": {
			does("client", "update", d.machine.owner.ID, "--scope", "data:write"),
			does("client", "update", d.machine.owner.ID, "--scope", "data:read application:service_account:write"), robot,
		},
		"the origin of a client": {
			does("client", "update", page.ID, "--origin", "https://two.example.test"),
			does("client", "update", page.ID, "--origin", "https://one.example.test"),
			func(at *site) bool { return at.letsIn("https://one.example.test") },
		},
		"a person": {does("user", "disable", d.userID), func() { d.command("", "user", "enable", d.userID); anew() }, reads},
		"sessions": {does("user", "sign-out", d.userID), anew, reads},
		"consent":  {does("consent", "withdraw", d.userID, d.app.ID), again, reads},
		"a token":  {func() { d.send(revokePath, d.app, "token", d.access) }, again, reads},
		"a group": {
			does("group", "remove", "--hub", d.hub, "--group", "Crew", "--user", d.colleague.email),
			does("group", "add", "--hub", d.hub, "--group", "Crew", "--user", d.colleague.email), colleague,
		},
		"a right of a group": {
			does("grant", "remove", "--project", d.project, "--folder", d.folder, "--group", "Crew"),
			does("grant", "set", "--project", d.project, "--folder", d.folder, "--group", "Crew", "--level", "edit"), colleague,
		},
		"a member of a project": {
			does("member", "remove", "--yes", "--project", d.project, "--user", d.userID),
			does("member", "add", "--project", d.project, "--user", d.userID, "--role", "admin"), reads,
		},
		"an app of a hub": {
			does("app", "remove", "--hub", d.hub, "--client", d.app.ID),
			does("app", "provision", "--hub", d.hub, "--client", d.app.ID, "--level", "control"), reads,
		},
		"a service account": {
			does("service-account", "disable", d.machine.AccountID), does("service-account", "enable", d.machine.AccountID),
			robot,
		},
		"a key": {
			does("service-account", "key", "disable", d.machine.AccountID, d.machine.KID),
			does("service-account", "key", "enable", d.machine.AccountID, d.machine.KID), robot,
		},
	}
}

// letsIn reports whether pages of an origin may call for tokens.
func (s *site) letsIn(origin string) bool {
	r := must(http.NewRequest(http.MethodOptions, s.URL+tokenPath, nil))
	r.Header.Set("Origin", origin)
	r.Header.Set("Access-Control-Request-Method", http.MethodPost)
	got, err := try(s.plain, r)
	s.must(err)
	return got.Header.Get("Access-Control-Allow-Origin") == origin
}

// settles waits until all servers say the same, and returns how long that took.
func settles(t *testing.T, what string, all []*site, stands func(*site) bool, want bool) time.Duration {
	t.Helper()
	began := time.Now()
	for _, server := range all {
		for stands(server) != want {
			if time.Since(began) > 10*time.Second {
				t.Fatalf("%s: %v at a server after 10 s", what, !want)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return time.Since(began)
}

// closedPort is an address of which nothing comes.
func closedPort(t *testing.T) string {
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { l.Close() })
	return l.Addr().String() // it takes connections, and says nothing
}

// Rule: SERVER-46
func TestWhatIsTakenAwayIsSoOnEveryServerWithinASecond(t *testing.T) {
	rounds := 1
	if os.Getenv(soakReplicas) != "" {
		rounds = 50
	}
	for name, settings := range map[string][]string{
		"told":     nil,
		"not told": {"DATABASE_NOTIFY_URL=postgres://postgres@" + closedPort(t) + "/postgres?sslmode=disable"},
	} {
		t.Run(name, func(t *testing.T) {
			all := serversOn(t, pgtest.URL(t), howManyServers, settings...)
			longest := time.Duration(0)
			for what, way := range toggles(newDock(all[0], "person@example.test")) {
				most := time.Duration(0)
				settles(t, what, all, way.stands, true)
				for range rounds {
					way.take()
					most = max(most, settles(t, what, all, way.stands, false))
					way.give()
					most = max(most, settles(t, what, all, way.stands, true))
				}
				t.Logf("%s: %v at most", what, most.Round(time.Millisecond))
				longest = max(longest, most)
			}
			t.Logf("on %d servers after %v at most, each %d times", len(all), longest.Round(time.Millisecond), 2*rounds)
			if rounds > 1 && longest > time.Second {
				t.Error("that is more than a second")
			}
		})
	}
}
