package provider_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/storage"
)

const secretThere = "secret of somebody there"

// works makes the slapd a directory.
func (w *world) works(s *ldaptest.Slapd, more directory.Change) {
	w.Helper()
	text, err := json.Marshal(map[string]any{"hosts": []string{s.TLS}, "ca": s.CA, "bind_dn": ldaptest.Service,
		"base": ldaptest.People, "networks": []string{"127.0.0.0/8"}, "vouches_for": []string{"works.test"}})
	w.must(err)
	more.Config, more.Secret = text, new(ldaptest.Password)
	_, err = w.Directories.Create(w.Context(), w.act(), "works", "openldap", more)
	w.must(err)
}

// whose is the user with the name.
func (w *world) whose(login string) storage.User {
	w.Helper()
	user, _, err := w.Store.FindUserByLogin(w.Context(), login)
	w.must(err)
	return user
}

// Rules: LDAP-1, LDAP-5
func TestPeopleOfADirectorySignInOnThePageOfEverybody(t *testing.T) {
	slapd := ldaptest.Start(t, ldaptest.PersonLDIF("alice", secretThere)+ldaptest.PersonLDIF("bob", secretThere))
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.works(slapd, directory.Change{})
		a := w.app(apps.Registration{Scopes: strings.Fields("openid email user-profile:read")})
		b := w.browser()
		v := b.through(b.submit(b.get(b.authorizeURL(a, "scope", "openid email user-profile:read")), "login-form",
			form("username", "alice", "password", secretThere)), "")
		if v.Away == nil {
			t.Fatalf("on %s, status %d:\n%s", v.At, v.Status, v.Body)
		}
		tokens := b.redeem(a, v.Away.Query().Get("code")).JSON(t)
		if claims := idTokenClaims(t, tokens); claims["iss"] != w.URL || claims["email"] != "alice@works.test" {
			t.Errorf("claims %v", claims)
		}
		access := tokens["access_token"].(string)
		info := w.userInfo(access).JSON(t)
		if info["ldap_enabled"] != true || info["ldap_domain"] != "works.test" {
			t.Errorf("user info says %v %v", info["ldap_enabled"], info["ldap_domain"])
		}
		for name, password := range map[string]string{"alice": "wrong", "nobody": secretThere, somebody: secretThere} {
			if b := w.browser(); b.signIn(name, password).Status != http.StatusUnprocessableEntity || b.isSignedIn() {
				t.Errorf("%s is in with %q", name, password)
			}
		}
		if b := w.browser(); b.signIn(somebody, goodPassword).At.Path != "/" {
			t.Error("who has a password here is out")
		}
		second := newWorld(t, settings{database: database, beside: w})
		active := func() bool {
			return second.post("/authentication/v2/introspect", a, form("token", access)).JSON(t)["active"] == true
		}
		if !active() {
			t.Fatal("the token is dead from the beginning")
		}
		began := time.Now()
		w.must(w.Directories.Switch(t.Context(), w.act(), "works", true))
		if active() || b.isSignedIn() || time.Since(began) > time.Second {
			t.Error("token or session live on at the second server")
		}
		if b := w.browser(); b.signIn("alice", secretThere).Status != http.StatusUnprocessableEntity || b.isSignedIn() {
			t.Error("she is in by a directory that is off")
		}
		hash, err := w.Store.FindPasswordHash(t.Context(), w.whose(somebody).ID)
		w.must(err)
		w.must(w.Store.SetPassword(t.Context(), w.act(), w.whose("alice@works.test").ID, hash, "")) // of before
		if b := w.browser(); b.signIn("alice@works.test", goodPassword).Status != http.StatusUnprocessableEntity ||
			b.isSignedIn() {
			t.Error("she is in by a password that is kept here")
		}
	})
}

// Rules: LDAP-12, LDAP-16
func TestADirectoryThatIsDownLeavesTheOtherWaysToSignIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		slapd := ldaptest.Start(t, ldaptest.PersonLDIF("alice", secretThere))
		w.person(somebody)
		w.named("stranger@works.test", "stranger")
		admin, yes := w.person("root@works.test"), true
		w.must(w.Store.UpdateUser(t.Context(), w.act(), admin, &yes))
		w.works(slapd, directory.Change{Exclusive: &yes, Domains: &[]string{"works.test"}})
		if b := w.browser(); b.signIn("stranger", goodPassword).Status != http.StatusUnprocessableEntity || b.isSignedIn() {
			t.Error("the password of an account here is taken where the directory alone is asked")
		}
		slapd.Stop()
		v := w.browser().signIn("alice", secretThere)
		if v.Status != http.StatusServiceUnavailable || !strings.Contains(string(v.Body), "login-form") ||
			!strings.Contains(string(v.Body), "does not answer just now") {
			t.Errorf("it is down: %d\n%s", v.Status, v.Body)
		}
		for _, name := range []string{somebody, "root@works.test"} {
			if b := w.browser(); b.signIn(name, goodPassword).At.Path != "/" {
				t.Errorf("%s is out", name)
			}
		}
	})
}

// Rules: LDAP-12, LDAP-19
func TestWhileADirectoryIsDownNobodyLearnsWhoIsHere(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		slapd := ldaptest.Start(t, ldaptest.PersonLDIF("alice", secretThere))
		w.person(somebody)
		w.works(slapd, directory.Change{})
		if v := w.browser().signIn("alice", secretThere); v.At.Path != "/" {
			t.Fatalf("she is out: %d %s\n%s", v.Status, v.At, v.Body)
		}
		slapd.Stop()
		for _, name := range []string{somebody, "alice", "nobody", "nobody@works.test"} {
			v := w.browser().signIn(name, "wrong")
			if v.Status != http.StatusServiceUnavailable || !strings.Contains(string(v.Body),
				"The user name or password is not right, or the directory does not answer just now.") {
				t.Errorf("%s: %d\n%s", name, v.Status, v.Body)
			}
		}
		for i := range 10 { // a try is a try, whether the directory could be asked or not
			v := w.browser().signIn("nobody", "wrong")
			if tooMany := v.Status == http.StatusTooManyRequests; tooMany != (i == 9) {
				t.Errorf("try %d: %d", i+2, v.Status)
			}
		}
		if b := w.browser(); b.signIn(somebody, goodPassword).At.Path != "/" {
			t.Error("who has a password here is out")
		}
		slapd.Go()
		w.wait(31 * time.Second)
		for _, name := range []string{somebody, "nobody@works.test"} {
			if v := w.browser().signIn(name, "wrong"); v.Status != http.StatusUnprocessableEntity {
				t.Errorf("%s: %d", name, v.Status)
			}
		}
	})
}
