package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/harness/passkeytest"
	"github.com/portico-id/portico/provider/accounts"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/factors"
	"github.com/portico-id/portico/storage"
)

// passkeySite is where passkeys of a world are for: a server at an address that is
// no name has none.
const passkeySite = "https://id.example.test"

// passkey gives the user one.
func (w *world) passkey(user storage.User) *passkeytest.Passkey {
	w.Helper()
	p := passkeytest.New("id.example.test", passkeySite, user.ID)
	session := storage.LoginSession{
		ID: w.ambient.UID(), TokenHash: w.ambient.Bytes(32), UserID: user.ID, AMR: []string{"pwd"}, AuthTime: w.ambient.Now(),
		CreatedAt: w.ambient.Now(), LastSeenAt: w.ambient.Now(), ExpiresAt: w.ambient.Now().Add(time.Hour),
	}
	has, err := w.Factors.Find(w.Context(), user.ID)
	w.must(err)
	w.must(w.Store.StartSession(w.Context(), w.act(), session, storage.Proof{TwoFactor: len(has.Passkeys) > 0}))
	ask, err := w.Factors.AskForNew(w.Context(), user, session.ID)
	w.must(err)
	_, err = w.Factors.EnrolPasskey(w.Context(), w.act(), user, session, "Phone", p.Made(ask.Challenge))
	w.must(err)
	return p
}

// challenge is what the page asks for a passkey with.
func (v visit) challenge(b *browser) string {
	b.Helper()
	page, err := html.Parse(strings.NewReader(string(v.Body)))
	b.must(err)
	for n := range page.Descendants() {
		if at := attributes(n); at["id"] == "passkey-form" {
			return at["data-challenge"]
		}
	}
	b.Fatalf("no passkey is asked for on %s (status %d):\n%s", v.At, v.Status, v.Body)
	return ""
}

// uses answers the page with the passkey.
func (b *browser) uses(v visit, p *passkeytest.Passkey) visit {
	b.Helper()
	return b.submit(v, "passkey-form", form("passkey", p.Used(v.challenge(b))))
}

// Rules: FACTOR-11, FACTOR-16
func TestAPasskeySignsInByItselfAndAfterThePassword(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		p := w.passkey(user)
		a := w.app(apps.Registration{Scopes: []string{"openid", "user-profile:read"}})
		for name, one := range map[string]struct {
			signIn func(b *browser, v visit) visit
			amr    []any
		}{
			"by itself": {func(b *browser, v visit) visit { return b.uses(v, p) }, []any{"pop", "user", "mfa"}},
			"after the password": {func(b *browser, v visit) visit { return b.uses(b.password(v, somebody), p) },
				[]any{"pwd", "pop", "user", "mfa"}},
		} {
			b := w.browser()
			v := one.signIn(b, b.get(w.authorizeURL(a, "scope", "openid user-profile:read")))
			if v.At.Path == "/consent" {
				v = b.submit(v, "consent-form", form("decision", "allow"))
			}
			if v.Away == nil {
				t.Fatalf("%s: at %s, status %d\n%s", name, v.At, v.Status, v.Body)
			}
			tokens := b.redeem(a, v.Away.Query().Get("code")).JSON(b)
			claims := payload(b, tokens["id_token"])
			if diff := cmp.Diff(one.amr, claims["amr"]); diff != "" || claims["acr"] != "urn:portico:acr:2" {
				t.Errorf("%s: acr %v, amr -want +got:\n%s", name, claims["acr"], diff)
			}
			if got := w.userInfo(tokens["access_token"].(string)).JSON(b)["is_2fa_enabled"]; got != true {
				t.Errorf("%s: is_2fa_enabled %v", name, got)
			}
		}
	})
}

// Rules: FACTOR-12, FACTOR-13
func TestAPasskeyOfAnotherPersonSiteOrTimeIsRefused(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user, other := w.person(somebody), w.person("other@example.test")
		p, others, unknown := w.passkey(user), w.passkey(other), passkeytest.New("id.example.test", passkeySite, user.ID)
		refused := func(name string, b *browser, v visit) {
			t.Helper()
			if v.Status != http.StatusUnprocessableEntity || b.isSignedIn() || v.Away != nil {
				t.Errorf("%s: at %s, status %d, signed in %v", name, v.At, v.Status, b.isSignedIn())
			}
		}
		bent := func(bend func(p *passkeytest.Passkey)) *passkeytest.Passkey {
			one := *p
			bend(&one)
			return &one
		}
		for name, one := range map[string]*passkeytest.Passkey{
			"unknown":           unknown,
			"another's handle":  bent(func(p *passkeytest.Passkey) { p.User = other.ID }),
			"another's key":     bent(func(p *passkeytest.Passkey) { p.ID = others.ID }),
			"another origin":    bent(func(p *passkeytest.Passkey) { p.Origin = "https://id.example.test.evil.test" }),
			"another site":      bent(func(p *passkeytest.Passkey) { p.Party = "evil.test" }),
			"nobody looked who": bent(func(p *passkeytest.Passkey) { p.Flags = 1 }),
		} {
			b := w.browser()
			refused(name, b, b.uses(b.get(w.URL+"/login"), one))
		}
		b := w.browser()
		refused("another person's, after the password", b, b.uses(b.password(b.get(w.URL+"/login"), somebody), others))
		b = w.browser()
		page := b.get(w.URL + "/login")
		for name, answer := range map[string]string{"nothing": "", "no JSON": "x", "an answer to no challenge": p.Used(""),
			"a made-up challenge": p.Used(strings.Repeat("A", 75))} {
			refused(name, b, b.submit(page, "passkey-form", form("passkey", answer)))
		}
		stranger := w.browser()
		refused("an answer to another browser's challenge", stranger,
			stranger.submit(stranger.get(w.URL+"/login"), "passkey-form", form("passkey", p.Used(page.challenge(b)))))
		w.wait(61 * time.Minute)
		refused("an hour later", b, b.uses(page, p))
		w.must(w.Store.SetUserDisabled(t.Context(), w.act(), user.ID, true))
		refused("a disabled person", b, b.uses(b.get(w.URL+"/login"), p))
		w.must(w.Store.SetUserDisabled(t.Context(), w.act(), user.ID, false))
		if v := b.uses(b.get(w.URL+"/login"), p); v.At.Path != "/" {
			t.Errorf("as it should be: at %s, status %d\n%s", v.At, v.Status, v.Body)
		}
	})
}

// Rule: FACTOR-13
func TestAnAnswerOfAPasskeyIsGoodOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		p := w.passkey(w.person(somebody))
		b := w.browser()
		page := b.get(w.URL + "/login")
		answer := p.Used(page.challenge(b))
		if v := b.submit(page, "passkey-form", form("passkey", answer)); v.At.Path != "/" {
			t.Fatalf("once: at %s, status %d", v.At, v.Status)
		}
		at, err := url.Parse(w.URL)
		w.must(err)
		thief := w.browser() // who has the browser's name, too
		thief.client.Jar.SetCookies(at, []*http.Cookie{{Name: "portico-visitor",
			Value: b.cookie("portico-visitor"), Path: "/"}})
		if v := thief.submit(page, "passkey-form", form("passkey", answer)); v.Status != http.StatusUnprocessableEntity ||
			thief.isSignedIn() {
			t.Errorf("again: at %s, status %d", v.At, v.Status)
		}
	})
}

// Rule: FACTOR-13
func TestOfFiftyWhoUseOneAnswerOneIsLetIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		other := newWorld(t, settings{database: database, beside: w})
		p := w.passkey(w.person(somebody))
		answer := p.Used(w.Factors.AskPasskey("somewhere", nil).Challenge)
		var all sync.WaitGroup
		results := make([]error, 50)
		for i := range results {
			rules := []*factors.Factors{w.Factors, other.Factors}[i%2]
			all.Go(func() { _, results[i] = rules.ProvePasskey(t.Context(), w.act(), "somewhere", answer) })
		}
		all.Wait()
		won := 0
		for _, err := range results {
			switch {
			case err == nil:
				won++
			case !fault.HasReason(err, factors.ReasonWrongPasskey):
				t.Error(err)
			}
		}
		if won != 1 {
			t.Errorf("one answer lets %d in", won)
		}
	})
}

// Rule: HOME-7
func TestWhatNobodyWasSignedInForIsNoAdministratorsDoing(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		p := w.passkey(user)
		b := w.browser()
		late := b.get(w.URL + "/login")
		w.wait(2 * time.Hour)
		if v := b.uses(late, p); v.Status != http.StatusUnprocessableEntity {
			t.Fatalf("status %d", v.Status)
		}
		b.uses(b.get(w.URL+"/login"), p)
		w.wait(websession.DefaultIdle + time.Hour)
		b.get(w.URL + "/authentication/v2/logout")
		events, _, err := accounts.New(accounts.Options{Store: w.Store}).Events(w.Context(), user.ID, storage.PageRequest{})
		w.must(err)
		var said []string
		for _, e := range events[:min(3, len(events))] {
			said = append(said, e.Kind+" "+e.By)
		}
		want := []string{"session.ended person", "user.signed_in person", "user.factor_refused person"}
		if diff := cmp.Diff(want, said); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// Rule: FACTOR-14
func TestACounterThatGoesBackIsACopiedKey(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		p := w.passkey(w.person(somebody))
		for _, one := range []struct {
			counter uint32
			status  int
		}{{0, 200}, {0, 200}, {5, 200}, {5, 422}, {4, 422}, {0, 422}, {6, 200}} {
			p.Counter = one.counter
			b := w.browser()
			if v := b.uses(b.get(w.URL+"/login"), p); v.Status != one.status || b.isSignedIn() != (one.status == 200) {
				t.Errorf("counter %d: status %d, want %d", one.counter, v.Status, one.status)
			}
		}
	})
}

// Rule: FACTOR-17
func TestAPasskeyThatIsRemovedLetsNobodyIn(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	p := w.passkey(user)
	second := w.passkey(user)
	b := w.browser()
	if v := b.uses(b.get(w.URL+"/login"), p); v.At.Path != "/" {
		t.Fatalf("before: at %s", v.At)
	}
	has, err := w.Factors.Find(t.Context(), user.ID)
	w.must(err)
	w.must(w.Factors.RemovePasskey(t.Context(), w.act(), user, has.Passkeys[0], ""))
	if b.isSignedIn() {
		t.Error("a session outlives the removal")
	}
	if v := b.uses(b.get(w.URL+"/login"), p); v.Status != http.StatusUnprocessableEntity {
		t.Errorf("the removed one: at %s, status %d", v.At, v.Status)
	}
	v := b.password(b.get(w.URL+"/login"), somebody)
	if strings.Contains(string(v.Body), has.Passkeys[0].ID) {
		t.Error("the removed one is asked for")
	}
	if v := b.uses(v, second); v.At.Path != "/" {
		t.Errorf("the other one: at %s, status %d", v.At, v.Status)
	}
	w.must(w.Factors.RemoveLost(t.Context(), w.act(), user))
	if v := b.signIn(somebody, goodPassword); v.At.Path != "/" {
		t.Errorf("with the password alone, once all are lost: at %s", v.At)
	}
}

// Rule: FACTOR-12
func TestAnotherSiteSignsNobodyInWithItsOwnPasskey(t *testing.T) {
	w := newWorld(t, settings{})
	p := w.passkey(w.person(somebody))
	b := w.browser()
	page := b.get(w.URL + "/login")
	r, err := http.NewRequest(http.MethodPost, w.URL+"/login/passkey",
		strings.NewReader(form("passkey", p.Used(page.challenge(b))).Encode()))
	w.must(err)
	r.Header.Set("Content-Type", formType)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if v := b.follow(r); v.Status != http.StatusForbidden || b.isSignedIn() {
		t.Errorf("status %d, signed in %v", v.Status, b.isSignedIn())
	}
	if v := b.uses(page, p); v.At.Path != "/" {
		t.Errorf("from our own page: at %s", v.At)
	}
}

// Rule: FACTOR-15
func TestWhoSignedInByAPasskeyIsAskedForItFirst(t *testing.T) {
	w := newWorld(t, settings{})
	p := w.passkey(w.person(somebody))
	a := w.app(apps.Registration{})
	first := func(v visit) bool {
		body := string(v.Body)
		return strings.Index(body, `id="passkey-form"`) < strings.Index(body, `id="login-form"`)
	}
	b := w.browser()
	v := b.get(w.URL + "/login")
	if first(v) {
		t.Error("a stranger is asked for a passkey first")
	}
	b.uses(v, p)
	if v = b.get(w.authorizeURL(a, "prompt", "login")); v.At.Path != "/login" || !first(v) {
		t.Errorf("at %s, passkey first %v", v.At, first(v))
	}
	w.wait(11 * time.Minute)
	if v = b.get(w.URL + "/login?again=1&then=%2F"); v.At.Path != "/login" || !first(v) {
		t.Errorf("before a grave act: at %s, passkey first %v", v.At, first(v))
	}
	if v = b.uses(v, p); v.At.Path != "/" {
		t.Errorf("again: at %s, status %d", v.At, v.Status)
	}
}
