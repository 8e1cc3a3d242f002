package provider_test

import (
	"crypto/rsa"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// Whoever has got an account elsewhere with the address of their own account here, and
// somebody else's browser to visit it, does not get into what that one signs in to.
//
// Rule: FED-9
func TestWhatWaitsForAnAccountIsConnectedToNoOther(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		owner, victim := w.person("one@works.test"), w.person("victim@works.test")
		w.liar("works")
		connects := func(as string) visit {
			b := w.browser()
			v := b.visitUpstream("works")
			if v.At.Path != "/login" {
				t.Fatalf("on %s: %d", v.At, v.Status)
			}
			v = b.submit(v, "login-form", form("username", as, "password", goodPassword))
			if v.Status == http.StatusOK && v.At.Path == "/account/identities/confirm" {
				v = b.submit(v, "confirm", nil)
			}
			return v
		}
		if v := connects("victim@works.test"); v.Status != http.StatusBadRequest || w.identitiesOf(victim) != 0 {
			t.Errorf("somebody else's account: %d on %s, %d are connected", v.Status, v.At, w.identitiesOf(victim))
		}
		if v := connects("one@works.test"); v.At.Path != "/account/identities" || w.identitiesOf(owner) != 1 {
			t.Errorf("the account with the address: %d on %s", v.Status, v.At)
		}
	})
}

func (w *world) identitiesOf(user storage.User) int {
	w.Helper()
	all, err := w.Store.ListIdentities(w.Context(), user.ID)
	w.must(err)
	return len(all)
}

// Rule: FED-9
func TestAnUpstreamThatIsSwitchedOffConnectsNobody(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		owner := w.person(somebody)
		w.liar("works")
		b := w.browser()
		b.signIn(somebody, goodPassword)
		asks := b.throughAway(b.get(b.URL + "/account/identities/connect/works"))
		w.must(w.Upstreams.Disable(t.Context(), w.act(), "works", true))
		if v := b.submit(asks, "confirm", nil); v.Status != http.StatusGone || w.identitiesOf(owner) != 0 {
			t.Errorf("switched off: %d on %s", v.Status, v.At)
		}
		w.must(w.Upstreams.Disable(t.Context(), w.act(), "works", false))
		if v := b.submit(asks, "confirm", nil); v.Status != http.StatusOK || w.identitiesOf(owner) != 1 {
			t.Errorf("switched on: %d on %s", v.Status, v.At)
		}
	})
}

// Where people write any address into their account there, only the upstream's word for
// it stands, and a no is a word.
//
// Rules: FED-9, FED-10
func TestWhoVouchesForADomainVouchesForNobodyAgainstTheirOwnWord(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works", "link", "verified", "join", "off", "vouches_for", "works.test", "trust_email", "false")
		w.person("boss@works.test")
		says := func(more map[string]any) bool {
			l.says = map[string]any{"email": "boss@works.test", "sub": w.ambient.UID()}
			for name, value := range more {
				l.says[name] = value
			}
			b := w.browser()
			b.visitUpstream("works")
			return b.isSignedIn()
		}
		if says(map[string]any{"email_verified": false}) || says(map[string]any{"email_verified": "false"}) ||
			says(map[string]any{"email_verified": nil, "xms_edov": false}) {
			t.Error("an address of which the upstream says that it was not verified is taken for theirs")
		}
		if !says(map[string]any{"email_verified": nil}) || !says(map[string]any{"email_verified": true}) {
			t.Error("an address for whose domain it vouches is not")
		}
		w.set("works", "tenants", "t1,t2")
		if says(map[string]any{"email_verified": nil, "tid": "t2", "oid": w.ambient.UID()}) {
			t.Error("an administrator of any tenant takes the account of another's")
		}
		w.set("works", "tenants", "t2")
		if !says(map[string]any{"email_verified": nil, "tid": "t2", "oid": w.ambient.UID()}) {
			t.Error("the one tenant is not believed")
		}
	})
}

// Everybody may send logout tokens: with keys that nobody knows they do not make this
// server ask the upstream again and again.
//
// Rule: FED-13
func TestAFloodOfUnknownKeysAsksForKeysOnceAMinute(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		b := w.browser()
		b.visitUpstream("works")
		token := func(kid string) answer {
			l.kid, l.says = kid, map[string]any{"nonce": nil, "jti": w.ambient.UID(), "iat": w.ambient.Now().Unix(),
				"exp":    w.ambient.Now().Add(time.Minute).Unix(),
				"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}
			return w.post("/login/upstream/works/backchannel-logout", app{}, form("logout_token", l.idToken("")))
		}
		before := l.keysRead.Load()
		for i := range 30 {
			if got := token(fmt.Sprintf("unknown-%d", i)); got.Status != http.StatusBadRequest {
				t.Fatalf("a key that nobody knows: %d %s", got.Status, got.Body)
			}
		}
		if n := l.keysRead.Load() - before; n > 1 || !b.isSignedIn() {
			t.Errorf("the keys were read %d times more", n)
		}
		l.published = "k2" // it has changed its key
		w.wait(61 * time.Second)
		if got := token("k2"); got.Status != http.StatusOK || b.isSignedIn() {
			t.Errorf("the next key: %d %s", got.Status, got.Body)
		}
		l.kid, l.says = "", nil
		if b.visitUpstream("works"); !b.isSignedIn() {
			t.Error("nobody signs in by the next key")
		}
	})
}

// Who publishes one key need not name it.
//
// Rule: FED-13
func TestAKeyOfAnUpstreamWithoutANameIsFetchedAnew(t *testing.T) {
	w := newWorld(t, settings{})
	l := w.liar("works")
	l.published = ""
	w.browser().visitUpstream("works")
	l.key = newKeyFor(t, jose.RS256).(*rsa.PrivateKey)
	w.wait(61 * time.Second)
	b := w.browser()
	b.visitUpstream("works")
	if n := l.keysRead.Load(); n != 2 || !b.isSignedIn() {
		t.Errorf("signed in by the next key: %t; the keys were read %d times", b.isSignedIn(), n)
	}
}

// Rule: VOUCH-2
func TestAVouchersClockDoesNotMakeASignInFresher(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, machines: true})
		c := w.company()
		for _, at := range []time.Duration{time.Hour, -time.Hour} {
			now := w.ambient.Now()
			got := c.presents(c.vouch(map[string]any{"jti": w.ambient.UID(), "auth_time": now.Add(at).Unix()})).JSON(t)
			said, _ := payload(t, got["access_token"])["auth_time"].(float64)
			if want := now.Add(min(at, 0)).Unix(); int64(said) < want || int64(said) > want+60 {
				t.Errorf("a sign-in of %v from now is one of %v", at, time.Unix(int64(said), 0).Sub(now))
			}
		}
	})
}

// Rule: FED-13
func TestAppsHearOfALogoutThatComesFromElsewhere(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		a := w.app(apps.Registration{BackchannelLogoutURI: "https://app.example.test/logout"})
		b := w.browser()
		v := b.through(b.visitUpstream("works", b.get(b.authorizeURL(a)).At.RawQuery), "")
		b.redeem(a, v.Away.Query().Get("code"))
		waiting := func() int {
			all, _, err := w.Store.ListLogoutDeliveries(t.Context(), a.ID, storage.PageRequest{})
			w.must(err)
			return len(all)
		}
		if waiting() != 0 || !b.isSignedIn() {
			t.Fatal("the app hears before anybody signs out")
		}
		l.says = map[string]any{"nonce": nil, "jti": "j", "events": map[string]any{
			"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}
		got := w.post("/login/upstream/works/backchannel-logout", app{}, form("logout_token", l.idToken("")))
		if got.Status != http.StatusOK || b.isSignedIn() || waiting() != 1 {
			t.Errorf("%d %s: %d are to hear", got.Status, got.Body, waiting())
		}
	})
}

// To wherever it sends on, also from an address that may be called to one that may.
//
// Rule: FED-15
func TestAnUpstreamThatSendsUsOnIsNotFollowed(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		var met atomic.Int32
		l := w.liar("works")
		inner := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			met.Add(1)
			l.serves.ServeHTTP(rw, r) // as if it were there
		}))
		t.Cleanup(inner.Close)
		l.says = map[string]any{"email": nil} // so that user info is asked for
		l.info = map[string]any{"sub": "person-1", "email": "one@works.test", "email_verified": true}
		for _, path := range []string{"/.well-known/openid-configuration", "/token", "/keys", "/userinfo"} {
			for _, to := range []string{inner.URL + path, "http://169.254.169.254" + path} {
				w.wait(61 * time.Minute) // what was read is read anew
				l.sendsOn = map[string]string{path: to}
				b := w.browser()
				if b.visitUpstream("works"); b.isSignedIn() || met.Load() != 0 {
					t.Errorf("from %s to %s: signed in %v, %d calls elsewhere", path, to, b.isSignedIn(), met.Load())
				}
				l.sendsOn = nil
				w.wait(11 * time.Second)
				if b := w.browser(); b.visitUpstream("works").At.Path != "/" || !b.isSignedIn() {
					t.Errorf("where %s answers by itself nobody is signed in: %s", path, w.said)
				}
			}
		}
	})
}
