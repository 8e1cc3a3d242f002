package e2e

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/ldaptest"
)

// soakFederation makes tests of companies' people run at their full size; make
// soak-federation sets it.
const soakFederation = "PORTICO_SOAK_FEDERATION"

// Two processes. Whoever signed in by a directory is refused at the other one when it is
// switched off, and whoever has a password here when everybody of their domain signs in
// by it.
//
// Rules: FED-2, LDAP-5, LDAP-16
func TestWhatIsTakenFromPeopleOfADirectoryIsTakenOnASecondServerWithinASecond(t *testing.T) {
	rounds := 1
	if os.Getenv(soakFederation) != "" {
		rounds = 50
	}
	slapd := ldaptest.Start(t, ldaptest.PersonLDIF("alice", password))
	eachEngine(t, func(t *testing.T, database string) {
		both := twinsOn(t, database)
		s, second := both[0], both[1]
		s.directory(slapd, "works")
		s.person("admin@works.test", "--admin")
		s.person("here@works.test")
		app := s.client("--redirect-uri", callback)
		addresses := 0
		from := func(at *site, name string) *visitor { // of an address of their own
			v := at.visitor(name)
			addresses++
			v.address = fmt.Sprintf("10.1.%d.%d", addresses>>8, addresses&255)
			return v
		}
		other := func(name string) page {
			v := from(second, name)
			p, err := v.open(second.URL + "/login")
			s.must(err)
			p, err = v.submit(p, "login-form", form("username", name, "password", password))
			s.must(err)
			return p
		}
		switched, alone := time.Duration(0), time.Duration(0)
		for round := range rounds {
			tokens := from(s, "alice@works.test").tokens(app)
			access := tokens.text("access_token")
			active := func(at *site) bool {
				return strings.Contains(at.send(introspectPath, app, "token", access).Body, `"active":true`) ||
					at.userInfo(access).Status == http.StatusOK
			}
			if !active(second) || other("alice").At.Path == "/login" {
				t.Fatal("she is out")
			}
			s.command("", "directory", "disable", "works")
			switched = max(switched, settles(t, "a token", []*site{second}, active, false))
			if second.refresh(app, tokens.text("refresh_token")).Status == http.StatusOK || other("alice").At.Path != "/login" {
				t.Error("she renews her token, or is in")
			}
			s.command("", "directory", "enable", "works")
			if other("here@works.test").At.Path == "/login" {
				t.Fatal("who has a password here is out")
			}
			s.command("", "directory", "set", "works", "domains=works.test", "exclusive=true")
			in := func(*site) bool { return other("here@works.test").At.Path != "/login" }
			alone = max(alone, settles(t, "a password that is kept here", []*site{second}, in, false))
			nobody := fmt.Sprintf("nobody-%d@works.test", round)
			if other("admin@works.test").At.Path == "/login" || other(nobody).Status != other("here@works.test").Status {
				t.Error("the administrator is out, or who has an account is told from who has none")
			}
			s.command("", "directory", "set", "works", "exclusive=false")
		}
		t.Logf("switched off: dead at the second server after %v at most, alone after %v, of %d tries",
			switched.Round(100*time.Microsecond), alone.Round(time.Millisecond), rounds)
		if rounds > 1 && (switched > time.Second || alone > time.Second) {
			t.Error("that is too late")
		}
	})
}
