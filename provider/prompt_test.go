package provider_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// idClaims answers sign-in and consent where they are asked for and returns the
// ID token's claims, and whether the sign-in page came.
func (b *browser) idClaims(a app, pairs ...string) (claims map[string]any, asked bool) {
	b.Helper()
	v := b.get(b.authorizeURL(a, pairs...))
	asked = v.Away == nil && v.At.Path == "/login"
	v = b.through(v, somebody)
	if v.Away == nil {
		b.Fatalf("still on %s, status %d", v.At, v.Status)
	}
	body := b.redeem(a, v.Away.Query().Get("code")).JSON(b)
	return payload(b, body["id_token"]), asked
}

// Rule: PROMPT-1
func TestPromptLoginAsksAgainAndAuthTimeIsLater(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	first, _ := b.idClaims(a)
	for _, prompt := range []string{"login", "select_account", "login consent"} {
		w.wait(2 * time.Second)
		again, asked := b.idClaims(a, "prompt", prompt)
		if !asked || again["sub"] != first["sub"] || again["auth_time"].(float64) <= first["auth_time"].(float64) {
			t.Errorf("%s: asked %v, first %v, again %v", prompt, asked, first, again)
		}
		first = again
	}
	if same, asked := b.idClaims(a); asked || same["auth_time"] != first["auth_time"] {
		t.Errorf("without prompt: asked %v, %v", asked, same)
	}
}

// Rule: PROMPT-2
func TestPromptLoginIsNotMetByGoingBackWithoutSigningIn(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	b.code(a, somebody)
	w.wait(time.Second)
	v := b.get(w.authorizeURL(a, "prompt", "login"))
	request := v.At.Query().Get("request")
	w.wait(time.Second)
	if v = b.get(w.URL + "/authentication/v2/authorize/resume?request=" + request); v.Away != nil ||
		v.At.Path != "/login" {
		t.Errorf("sent to %v from %s", v.Away, v.At)
	}
	if v = b.through(v, somebody); v.Away == nil || v.Away.Query().Get("code") == "" {
		t.Errorf("after signing in: %v", v.Away)
	}
}

// parkedAt opens an authorize request and returns its sign-in page.
func (b *browser) parkedAt(a app, pairs ...string) visit {
	b.Helper()
	v := b.get(b.authorizeURL(a, pairs...))
	if v.Away != nil || v.At.Path != "/login" {
		b.Fatalf("sent to %v from %s", v.Away, v.At)
	}
	return v
}

// resume goes back to authorize with the request of a page.
func (b *browser) resume(v visit) visit {
	b.Helper()
	return b.get(b.URL + "/authentication/v2/authorize/resume?request=" + url.QueryEscape(v.At.Query().Get("request")))
}

// Rule: PROMPT-2
func TestPromptLoginIsMetByTheSignInForItAndByNoOther(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	for name, pairs := range map[string][]string{"prompt=login": {"prompt", "login"}, "max_age=0": {"max_age", "0"}} {
		t.Run(name, func(t *testing.T) {
			b := w.browser()
			page, other := b.parkedAt(a, pairs...), b.parkedAt(a, pairs...)
			b.signIn(somebody, goodPassword) // in another tab, for no app at all
			w.wait(time.Second)
			if v := b.resume(page); v.At.Path != "/login" {
				t.Errorf("a plain sign-in meets the request: at %s, sent to %v", v.At, v.Away)
			}
			b.through(other, somebody)
			w.wait(time.Second)
			if v := b.resume(page); v.At.Path != "/login" {
				t.Errorf("the sign-in for another request meets the request: at %s, sent to %v", v.At, v.Away)
			}
			if v := b.through(page, somebody); v.Away == nil || v.Away.Query().Get("code") == "" {
				t.Errorf("its own sign-in: at %s, sent to %v", v.At, v.Away)
			}
		})
	}
}

// Rule: PROMPT-2
func TestPromptLoginIsMetWhateverTheClocksOfTheServersSay(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	for _, apart := range []time.Duration{-30 * time.Second, 30 * time.Second} {
		b := w.browser()
		page := b.parkedAt(a, "prompt", "login")
		w.wait(apart) // as on a server whose clock is behind or ahead
		if v := b.through(page, somebody); v.Away == nil || v.Away.Query().Get("code") == "" {
			t.Errorf("%v apart: at %s, sent to %v", apart, v.At, v.Away)
		}
	}
}

// Rule: PROMPT-3
func TestMaxAge(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	first, _ := b.idClaims(a)
	w.wait(2 * time.Second)
	late, asked := b.idClaims(a, "max_age", "1")
	if !asked || late["auth_time"].(float64) <= first["auth_time"].(float64) {
		t.Errorf("max_age=1 after 2 s: asked %v, %v", asked, late)
	}
	for _, age := range []string{"15000", "10000"} {
		if same, asked := b.idClaims(a, "max_age", age); asked || same["auth_time"] != late["auth_time"] {
			t.Errorf("max_age=%s: asked %v, auth_time %v, was %v", age, asked, same["auth_time"], late["auth_time"])
		}
	}
	w.wait(time.Second)
	if zero, asked := b.idClaims(a, "max_age", "0"); !asked || zero["auth_time"].(float64) <= late["auth_time"].(float64) {
		t.Errorf("max_age=0: asked %v, %v", asked, zero)
	}
}

// Rule: PROMPT-4
func TestPromptNoneShowsNoPage(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	refusedWith := func(b *browser, code string, pairs ...string) {
		t.Helper()
		v := b.get(w.authorizeURL(a, append(pairs, "prompt", "none")...))
		if v.Away == nil || v.Away.Query().Get("error") != code || v.Away.Query().Get("state") != "some-state" {
			t.Errorf("sent to %v from %s, want %s", v.Away, v.At, code)
		}
	}
	refusedWith(b, "login_required")
	b.through(b.get(w.URL+"/login"), somebody)
	refusedWith(b, "consent_required")
	first, _ := b.idClaims(a)
	w.wait(time.Minute)
	same, asked := b.idClaims(a, "prompt", "none")
	if asked || same["sub"] != first["sub"] || same["auth_time"] != first["auth_time"] {
		t.Errorf("asked %v, first %v, then %v", asked, first, same)
	}
	refusedWith(b, "login_required", "max_age", "1")
	refusedWith(b, "consent_required", "scope", "openid email")
}

// Rule: PROMPT-7
func TestIDTokenHint(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	w.person("other@example.test")
	a := w.app(apps.Registration{})
	b, other := w.browser(), w.browser()
	mine := b.tokens(a, somebody)
	theirs := other.tokens(a, "other@example.test")["id_token"].(string)
	w.wait(2 * time.Hour) // both have expired
	if v := b.get(w.authorizeURL(a, "prompt", "none", "id_token_hint", mine["id_token"].(string))); v.Away == nil ||
		v.Away.Query().Get("code") == "" {
		t.Errorf("an expired hint about the same person: %v", v.Away)
	}
	if v := b.get(w.authorizeURL(a, "prompt", "none", "id_token_hint", theirs)); v.Away == nil ||
		v.Away.Query().Get("error") != "login_required" {
		t.Errorf("a hint about somebody else: %v", v.Away)
	}
	if v := b.get(w.authorizeURL(a, "id_token_hint", theirs)); v.Away != nil || v.At.Path != "/login" {
		t.Errorf("a hint about somebody else, pages allowed: %v", v.Away)
	}
	if v := b.get(w.authorizeURL(a, "prompt", "none", "id_token_hint", mine["access_token"].(string))); v.Away == nil ||
		v.Away.Query().Get("error") != "invalid_request" {
		t.Errorf("an access token as hint: %v", v.Away)
	}
}

// Rule: AUTH-31
func TestFirstPartyClientsAreNotAskedUnlessAnyoneCouldPoseAsThem(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	const loopback, private, claimed = "http://127.0.0.1/cb", "com.example.app:/cb", "https://app.example.test/native"
	cases := map[string]struct {
		registration apps.Registration
		pairs        []string
		asked        bool
	}{
		"a web client":                         {apps.Registration{FirstParty: true}, nil, false},
		"a web client with prompt=consent":     {apps.Registration{FirstParty: true}, []string{"prompt", "consent"}, true},
		"a web client that is not first-party": {apps.Registration{}, nil, true},
		"a single-page app":                    {apps.Registration{Type: storage.ClientSPA, FirstParty: true}, nil, false},
		"a native client by https": {apps.Registration{Type: storage.ClientNative, FirstParty: true,
			RedirectURIs: []string{claimed}}, nil, false},
		"a native client on loopback": {apps.Registration{Type: storage.ClientNative, FirstParty: true,
			RedirectURIs: []string{loopback}}, nil, true},
		"a native client by a scheme of its own": {apps.Registration{Type: storage.ClientNative, FirstParty: true,
			RedirectURIs: []string{private}}, nil, true},
		"the scopes of administration": {
			apps.Registration{FirstParty: true, Scopes: []string{"openid", "account:read"}},
			[]string{"scope", "openid account:read"}, true},
	}
	const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := w.app(c.registration)
			b := w.browser()
			b.through(b.get(w.URL+"/login"), somebody)
			v := b.get(w.authorizeURL(a, append(c.pairs, "code_challenge", challenge, "code_challenge_method", "S256")...))
			if asked := v.Away == nil && v.At.Path == "/consent"; asked != c.asked {
				t.Errorf("asked %v, want %v; sent to %v", asked, c.asked, v.Away)
			}
			if v = b.through(v, somebody); v.Away == nil || v.Away.Query().Get("code") == "" {
				t.Errorf("ended at %v", v.Away)
			}
		})
	}
}
