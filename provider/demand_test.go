package provider_test

import (
	"encoding/base32"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/passkeytest"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// enrols adds an authenticator app on the page that demands one.
func (b *browser) enrols(v visit, d *device) visit {
	b.Helper()
	if v.At.Path != "/login/enrol" || v.Status != http.StatusOK || b.isSignedIn() {
		b.Fatalf("no factor is demanded: at %s, status %d, signed in %v\n%s", v.At, v.Status, b.isSignedIn(), v.Body)
	}
	return b.adds(v, d)
}

// adds adds an authenticator app on a page that offers one.
func (b *browser) adds(v visit, d *device) visit {
	b.Helper()
	d.secret = b.offered(v)
	return b.submit(v, "enrol-form", form("code", d.code(0)))
}

// offered is the secret that the page shows.
func (b *browser) offered(v visit) []byte {
	b.Helper()
	_, text, _ := strings.Cut(string(v.Body), `id="secret">`)
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text[:32])
	b.must(err)
	return secret
}

// Rule: FACTOR-19
func TestWhoMustHaveASecondFactorAddsOneAsTheySignIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, demand: func(u storage.User) bool { return u.Email == somebody }})
		user := w.person(somebody)
		w.person("plain@example.test")
		d := &device{world: w, user: user}
		a := w.app(apps.Registration{})
		b := w.browser()
		v := b.submit(b.get(w.authorizeURL(a)), "login-form", form("username", somebody, "password", goodPassword))
		request := v.At.Query().Get("request")
		for name, v := range map[string]visit{
			"consent":       b.get(w.URL + "/consent?request=" + request),
			"the way back":  b.get(w.URL + "/authentication/v2/authorize/resume?request=" + request),
			"home":          b.get(w.URL + "/"),
			"a consent":     b.posts("/consent?request="+request, form("decision", "allow")),
			"nothing":       b.submit(v, "enrol-form", nil),
			"a wrong code":  b.submit(v, "enrol-form", form("code", "123")),
			"the code page": b.posts("/login/code?request="+request, form("code", "123456")),
		} {
			if v.Away != nil || v.At.Path == "/consent" || b.isSignedIn() {
				t.Errorf("%s: at %s, away %v, signed in %v", name, v.At, v.Away, b.isSignedIn())
			}
		}
		if v := b.enrols(v, d); !strings.HasPrefix(v.At.Path, "/shown/") || !b.isSignedIn() {
			t.Fatalf("afterwards at %s, status %d, signed in %v\n%s", v.At, v.Status, b.isSignedIn(), v.Body)
		}
		v = b.submit(b.get(w.URL+"/authentication/v2/authorize/resume?request="+request), "consent-form",
			form("decision", "allow"))
		if v.Away == nil {
			t.Fatalf("after consent at %s", v.At)
		}
		claims := payload(b, b.redeem(a, v.Away.Query().Get("code")).JSON(b)["id_token"])
		if claims["acr"] != storage.ACRTwoFactors {
			t.Errorf("acr %v", claims["acr"])
		}
		w.wait(time.Minute)
		again := w.browser()
		if v := again.typesCode(again.password(again.get(w.URL+"/login"), somebody), d.code(0)); v.At.Path != "/" {
			t.Errorf("the next time: at %s", v.At)
		}
		if v := w.browser().signIn("plain@example.test", goodPassword); v.At.Path != "/" {
			t.Errorf("of whom nothing is demanded: at %s", v.At)
		}
	})
}

// Rule: FACTOR-20
func TestASessionOfAPasswordEndsOnceAFactorIsDemanded(t *testing.T) {
	demanded := false
	w := newWorld(t, settings{demand: func(storage.User) bool { return demanded }})
	w.person(somebody)
	b := w.browser()
	b.signIn(somebody, goodPassword)
	if !b.isSignedIn() {
		t.Fatal("nobody is signed in")
	}
	if demanded = true; b.isSignedIn() {
		t.Error("the session outlives the demand")
	}
}

// Rule: FACTOR-21
func TestAnAppThatInsistsOnTwoFactorsHasThemAdded(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	d := &device{world: w, user: user}
	a := w.app(apps.Registration{})
	insist := []string{"claims", `{"id_token":{"acr":{"essential":true,"value":"urn:portico:acr:2"}}}`}
	b := w.browser()
	b.tokens(a, somebody) // signed in by the password, which was enough
	v := b.get(w.authorizeURL(a, insist...))
	if v.At.Path != "/login" {
		t.Fatalf("whoever has no factor is at %s", v.At)
	}
	request := v.At.Query().Get("request")
	if v := b.posts("/consent?request="+request, form("decision", "allow")); v.Away != nil || v.At.Path != "/login" {
		t.Errorf("consent before the second factor: at %s, away %v", v.At, v.Away)
	}
	v = b.submit(v, "login-form", form("username", somebody, "password", goodPassword))
	if v.At.Path != "/login/enrol" || !strings.Contains(string(v.Body), "The app asks for") {
		t.Fatalf("at %s\n%s", v.At, v.Body)
	}
	_, text, _ := strings.Cut(string(v.Body), `id="secret">`)
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text[:32])
	w.must(err)
	d.secret = secret
	answer := url.Values{"code": {d.code(0)}}
	first := b.submit(v, "enrol-form", answer)
	if again := b.submit(v, "enrol-form", answer); !strings.HasPrefix(first.At.Path, "/shown/") ||
		again.At.Path != first.At.Path && again.At.Path != "/" && again.At.Path != "/login" {
		t.Errorf("sent twice it leads to %s and %s", first.At, again.At)
	}
	v = b.get(w.URL + "/authentication/v2/authorize/resume?request=" + request)
	if v.Away == nil {
		t.Fatalf("in the end at %s", v.At)
	}
	claims := payload(b, b.redeem(a, v.Away.Query().Get("code")).JSON(b)["id_token"])
	if claims["acr"] != storage.ACRTwoFactors {
		t.Errorf("acr %v", claims["acr"])
	}
	w.person("plain@example.test")
	plain := w.browser()
	if claims, _ := plain.voluntary(a); claims["acr"] != storage.ACRPassword {
		t.Errorf("a wish for two factors of who has none gives %v", claims["acr"])
	}
}

func (b *browser) voluntary(a app) (map[string]any, error) {
	b.Helper()
	tokens := b.tokens(a, "plain@example.test", "acr_values", storage.ACRTwoFactors)
	return payload(b, tokens["id_token"]), nil
}

// Rule: FACTOR-22
func TestAnAppThatDemandsASecondFactorLetsNobodyInWithoutOne(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{SecondFactor: true, ByAdministrator: true})
	other := w.app(apps.Registration{})
	b := w.browser()
	b.tokens(other, somebody) // signed in by the password, which was enough there
	if v := b.get(w.authorizeURL(a, "prompt", "none")); v.Away == nil ||
		v.Away.Query().Get("error") != "unmet_authentication_requirements" {
		t.Errorf("without a question: %s, away %v", v.At, v.Away)
	}
	v := b.get(w.authorizeURL(a))
	if v.At.Path != "/login" {
		t.Errorf("whoever has no factor is at %s", v.At)
	}
	v = b.submit(v, "login-form", form("username", somebody, "password", goodPassword))
	if v.At.Path != "/login/enrol" {
		t.Errorf("after the password at %s", v.At)
	}
	const guarded = "guarded@example.test"
	d, c := w.guarded(guarded), w.browser()
	v = c.typesCode(c.password(c.get(w.authorizeURL(a)), guarded), d.code(0))
	if v = c.through(v, guarded); v.Away == nil || v.Away.Query().Get("code") == "" {
		t.Errorf("with a factor: at %s", v.At)
	}
}

// typesPassword takes the first step, wherever that leads.
func (b *browser) typesPassword(v visit) visit {
	b.Helper()
	return b.submit(v, "login-form", form("username", somebody, "password", goodPassword))
}

// makes adds a passkey on the page that demands a factor.
func (b *browser) makes(v visit, p *passkeytest.Passkey, label string) visit {
	b.Helper()
	return b.submit(v, "passkey-form", form("label", label, "passkey", p.Made(v.challenge(b))))
}

// Rule: FACTOR-23
func TestWhoMustHaveASecondFactorMakesAPasskeyAsTheySignIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, demand: func(storage.User) bool { return true }})
		user := w.person(somebody)
		p := passkeytest.New("id.example.test", passkeySite, user.ID)
		a := w.app(apps.Registration{})
		other, b := w.browser(), w.browser()
		elsewhere := other.typesPassword(other.get(w.URL + "/login"))
		v := b.typesPassword(b.get(w.authorizeURL(a)))
		for name, got := range map[string]visit{
			"no name": b.makes(v, p, " "),
			"nothing": b.submit(v, "passkey-form", form("label", "Phone", "passkey", "")),
			"made in another browser": b.submit(v, "passkey-form", form("label", "Phone",
				"passkey", p.Made(elsewhere.challenge(other)))),
			"made for another site": b.makes(v, passkeytest.New("evil.test", "https://evil.test", user.ID), "Phone"),
		} {
			if got.Status != http.StatusUnprocessableEntity || b.isSignedIn() {
				t.Errorf("%s: at %s, status %d, signed in %v", name, got.At, got.Status, b.isSignedIn())
			}
		}
		if v = b.makes(v, p, "Phone"); !strings.HasPrefix(v.At.Path, "/shown/") || !b.isSignedIn() {
			t.Fatalf("afterwards at %s, status %d, signed in %v\n%s", v.At, v.Status, b.isSignedIn(), v.Body)
		}
		again := w.browser()
		if v := again.uses(again.get(w.URL+"/login"), p); v.At.Path != "/" {
			t.Errorf("the next time: at %s", v.At)
		}
	})
}

// Rule: FACTOR-23
func TestWhoHasAFactorAddsNoneOnTheWayToProvingIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, demand: func(storage.User) bool { return true }})
		user := w.person(somebody)
		early := w.browser() // who came to the page while there was none
		page := early.typesPassword(early.get(w.URL + "/login"))
		p := w.passkey(user)
		thiefs := passkeytest.New("id.example.test", passkeySite, user.ID)
		for name, v := range map[string]visit{
			"a passkey": early.makes(page, thiefs, "Phone"), "an app": early.adds(page, &device{world: w, user: user}),
			"a wrong code": early.submit(page, "enrol-form", form("code", "123")),
		} {
			if v.At.Path != "/login/code" || early.isSignedIn() {
				t.Errorf("%s: at %s, status %d, signed in %v", name, v.At, v.Status, early.isSignedIn())
			}
		}
		if v := early.uses(early.get(w.URL+"/login/code"), p); v.At.Path != "/" {
			t.Errorf("with the one they have: at %s", v.At)
		}
	})
}
