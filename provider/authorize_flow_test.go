package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// clientLag is how long a change of a client may take to act.
const clientLag = time.Second

// Rules: AUTH-1, AUTH-3, AUTH-13, AUTH-22, AUTH-24
func TestAnUnprovenTargetIsNeverRedirectedTo(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{RedirectURIs: []string{callback, "https://app.example.test/with?q=1"}})
	native := w.app(apps.Registration{Type: storage.ClientNative, RedirectURIs: []string{"http://127.0.0.1/cb"}})
	disabled := w.app(apps.Registration{})
	w.must(w.Store.SetClientDisabled(t.Context(), w.act(), disabled.ID, true))
	cases := map[string]string{
		"no client":                       w.authorizeURL(a, "client_id", ""),
		"unknown client":                  w.authorizeURL(a, "client_id", "nobody"),
		"disabled client":                 w.authorizeURL(disabled),
		"no redirect_uri":                 w.authorizeURL(a, "redirect_uri", ""),
		"a path below the registered one": w.authorizeURL(a, "redirect_uri", callback+"/random"),
		"a query added":                   w.authorizeURL(a, "redirect_uri", callback+"?x=1"),
		"a query taken away":              w.authorizeURL(a, "redirect_uri", "https://app.example.test/with"),
		"another scheme":                  w.authorizeURL(a, "redirect_uri", strings.Replace(callback, "https", "http", 1)),
		"userinfo in front of the host": w.authorizeURL(a, "redirect_uri",
			"https://app.example.test@evil.example/callback"),
		"another case":                     w.authorizeURL(a, "redirect_uri", "https://APP.example.test/callback"),
		"a fragment":                       w.authorizeURL(a, "redirect_uri", callback+"#x"),
		"localhost for a loopback literal": w.authorizeURL(native, "redirect_uri", "http://localhost/cb"),
		"userinfo before a loopback":       w.authorizeURL(native, "redirect_uri", "http://user@127.0.0.1/cb"),
		"a repeated client_id":             w.authorizeURL(a) + "&client_id=" + a.ID,
		"a repeated redirect_uri":          w.authorizeURL(a) + "&redirect_uri=" + url.QueryEscape(callback),
		"request= with a wrong outer target": w.authorizeURL(a, "redirect_uri", "https://evil.example/cb",
			"request", "eyJhbGciOiJub25lIn0.e30."),
	}
	for name, to := range cases {
		t.Run(name, func(t *testing.T) {
			v := w.browser().get(to)
			if v.Away != nil || v.Status != http.StatusBadRequest || !strings.Contains(string(v.Body), `id="error-page"`) {
				t.Errorf("status %d, sent to %v", v.Status, v.Away)
			}
			if strings.Contains(string(v.Body), "evil") {
				t.Error("the page shows what the request sent")
			}
		})
	}
	if v := w.browser().get(w.authorizeURL(a)); v.At.Path != "/login" {
		t.Errorf("without the trick: %s", v.At)
	}
	loopback := w.authorizeURL(native, "redirect_uri", "http://127.0.0.1:54321/cb", "code_challenge",
		strings.Repeat("a", 43), "code_challenge_method", "S256")
	if v := w.browser().get(loopback); v.At.Path != "/login" {
		t.Errorf("another port of a native client's loopback address: %s", v.At)
	}
}

// Rules: AUTH-4, AUTH-13, AUTH-14, AUTH-22, AUTH-23, AUTH-25, AUTH-27, AUTH-34, PROMPT-5, CODE-7
func TestErrorsThatGoBackToTheClient(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	scopes := []string{"openid", "profile", "email", "data:read"}
	standard := w.app(apps.Registration{Scopes: scopes})
	platform := w.app(apps.Registration{Profile: storage.ProfilePlatform, Scopes: scopes})
	challenge := strings.Repeat("a", 43)
	cases := []struct {
		name  string
		app   app
		pairs []string
		code  string
	}{
		{"response_type missing", standard, []string{"response_type", ""}, "unsupported_response_type"},
		{"response_type token: access tokens never come from here", standard, []string{"response_type", "token"},
			"unsupported_response_type"},
		{"response_type code token", standard, []string{"response_type", "code token"}, "unsupported_response_type"},
		{"response_mode unknown", standard, []string{"response_mode", "pigeon"}, "invalid_request"},
		{"scope missing, platform", platform, []string{"scope", ""}, "invalid_scope"},
		{"scope missing, standard", standard, []string{"scope", ""}, "invalid_scope"},
		{"scope unknown, platform", platform, []string{"scope", "openid no:such"}, "invalid_scope"},
		{"scope not registered, platform", platform, []string{"scope", "openid data:write"}, "invalid_scope"},
		{"scope of 2001 characters", standard, []string{"scope", "openid " + strings.Repeat("x", 1994)}, "invalid_scope"},
		{"51 scopes", standard, []string{"scope", strings.Repeat("a b c d e f g ", 7) + manyScopes(51)}, "invalid_scope"},
		{"state outside the platform's alphabet", platform, []string{"state", "a b"}, "invalid_request"},
		{"PKCE method plain", standard, []string{"code_challenge", challenge, "code_challenge_method", "plain"},
			"invalid_request"},
		{"PKCE method left out, standard", standard, []string{"code_challenge", challenge}, "invalid_request"},
		{"PKCE challenge of the wrong length", standard,
			[]string{"code_challenge", "short", "code_challenge_method", "S256"}, "invalid_request"},
		{"PKCE method without a challenge", standard, []string{"code_challenge_method", "S256"}, "invalid_request"},
		{"prompt=none with another", standard, []string{"prompt", "none login"}, "invalid_request"},
		{"prompt unknown", standard, []string{"prompt", "dance"}, "invalid_request"},
		{"prompt=none, nobody signed in", standard, []string{"prompt", "none"}, "login_required"},
		{"max_age not a number", standard, []string{"max_age", "soon"}, "invalid_request"},
		{"max_age negative", standard, []string{"max_age", "-1"}, "invalid_request"},
		{"request", standard, []string{"request", "eyJhbGciOiJub25lIn0.e30."}, "request_not_supported"},
		{"request_uri", standard, []string{"request_uri", "https://app.example.test/r"}, "request_uri_not_supported"},
		{"request_uri of a pushed request", platform, []string{"request_uri", "urn:ietf:params:oauth:request_uri:x"},
			"request_uri_not_supported"},
		{"registration", standard, []string{"registration", "{}"}, "registration_not_supported"},
		{"claims that are no JSON", standard, []string{"claims", "{"}, "invalid_request"},
		{"authoptions that are no JSON", standard, []string{"authoptions", "dark"}, "invalid_request"},
		{"id_token_hint that is not ours", standard, []string{"id_token_hint", "x.y.z"}, "invalid_request"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := w.browser().get(w.authorizeURL(c.app, c.pairs...))
			if v.Away == nil {
				t.Fatalf("stayed on %s, status %d", v.At, v.Status)
			}
			q := v.parameters(t)
			if q.Get("error") != c.code || q.Get("iss") != w.URL {
				t.Errorf("answer %s, want %s", v.Away, c.code)
			}
			ofToken := c.pairs[0] == "response_type" && strings.Contains(c.pairs[1], "token")
			if q.Get("state") == "" || strings.Contains(v.Away.Fragment, "error=") != ofToken {
				t.Errorf("an error comes back with its state, a code's in the query, a token's in the fragment: %s", v.Away)
			}
			for name := range q {
				if !strings.Contains("error error_description state iss", name) {
					t.Errorf("the answer has %s", name)
				}
			}
			if strings.ContainsAny(q.Get("error_description"), "\"\\\r\n\t") {
				t.Errorf("error_description %q", q.Get("error_description"))
			}
		})
	}
	t.Run("a repeated parameter", func(t *testing.T) {
		v := w.browser().get(w.authorizeURL(standard) + "&nonce=a&nonce=b")
		if v.Away == nil || v.Away.Query().Get("error") != "invalid_request" || v.Away.Query().Get("state") != "some-state" {
			t.Errorf("sent to %v", v.Away)
		}
	})
}

// parameters returns the answer's parameters from query or fragment.
func (v visit) parameters(t *testing.T) url.Values {
	t.Helper()
	q, err := url.ParseQuery(v.Away.EscapedFragment())
	if err != nil {
		t.Fatal(err)
	}
	if len(q) == 0 {
		return v.Away.Query()
	}
	return q
}

func manyScopes(n int) string {
	var names []string
	for i := range n {
		names = append(names, "s"+strings.Repeat("x", i))
	}
	return strings.Join(names, " ")
}

// Rule: AUTH-21
func TestParametersThatMustNotHurt(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{Scopes: []string{"openid", "profile", "email"}})
	for name, pairs := range map[string][]string{
		"unknown parameters": {"extra", "foobar", "approval_prompt", "force"},
		"display, locales and a hint": {"display", "popup", "ui_locales", "se", "claims_locales", "se", "login_hint",
			"x@example.test", "acr_values", "1 2"},
		"an essential claim":                  {"claims", `{"userinfo":{"name":{"essential":true}}}`},
		"no state":                            {"state", ""},
		"a short state":                       {"state", "a"},
		"no nonce":                            {"nonce", ""},
		"a nonce of 43 characters":            {"nonce", strings.Repeat("n", 43)},
		"an unknown scope of a standard app":  {"scope", "openid no:such"},
		"the scopes in another order":         {"scope", "email openid"},
		"authoptions with unknown members":    {"authoptions", `{"theme":"dark","locale":"en","pigeon":1}`},
		"the address that comes back in POST": {"prompt", "login"},
	} {
		t.Run(name, func(t *testing.T) {
			if code := w.browser().code(a, somebody, pairs...); len(code) != 43 {
				t.Errorf("code %q", code)
			}
		})
	}
}

// Rules: AUTH-6, AUTH-26
func TestAuthorizeByPOST(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	u, err := url.Parse(w.authorizeURL(a))
	w.must(err)
	got := w.post("/authentication/v2/authorize", app{}, u.Query())
	const back = "/authentication/v2/authorize/resume?request="
	if got.Status != http.StatusSeeOther || !strings.HasPrefix(got.Header.Get("Location"), back) {
		t.Fatalf("got %d to %q", got.Status, got.Header.Get("Location"))
	}
	b := w.browser()
	if v := b.through(b.get(w.URL+got.Header.Get("Location")), somebody); v.Away == nil ||
		v.Away.Query().Get("code") == "" {
		t.Errorf("sent to %v", v.Away)
	}
	// Another site's form comes without our cookie; the way back has it again.
	q := u.Query()
	q.Set("prompt", "none")
	got = w.post("/authentication/v2/authorize", app{}, q)
	if v := b.get(w.URL + got.Header.Get("Location")); v.Away == nil || v.Away.Query().Get("code") == "" {
		t.Errorf("prompt=none of a signed-in person: %v", v.Away)
	}
	got = w.post("/authentication/v2/authorize", app{}, q)
	if v := w.browser().get(w.URL + got.Header.Get("Location")); v.Away == nil ||
		v.Away.Query().Get("error") != "login_required" {
		t.Errorf("prompt=none of nobody: %v", v.Away)
	}
}

// Rule: AUTH-12
func TestFormPostAnswersAndErrorsAreForms(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	v := b.through(b.get(w.authorizeURL(a, "response_mode", "form_post")), somebody)
	action, fields := v.form(b, "form-post")
	if v.Away != nil || v.Status != 200 || action != callback || fields.Get("code") == "" ||
		fields.Get("state") != "some-state" || fields.Get("iss") != w.URL {
		t.Errorf("status %d, action %s, fields %v", v.Status, action, fields)
	}
	if v.Header.Get("Cache-Control") != "no-store" ||
		strings.Contains(v.Header.Get("Content-Security-Policy"), "form-action") {
		t.Errorf("headers %v", v.Header)
	}
	v = w.browser().get(w.authorizeURL(a, "response_mode", "form_post", "prompt", "none"))
	if _, fields = v.form(b, "form-post"); fields.Get("error") != "login_required" {
		t.Errorf("fields %v", fields)
	}
}

// Rules: AUTH-14, AUTH-15, IDTOKEN-5, IDTOKEN-6
func TestImplicitAndHybrid(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	standard := w.app(apps.Registration{})
	platform := w.app(apps.Registration{Profile: storage.ProfilePlatform})
	fragment := func(t *testing.T, v visit) url.Values {
		t.Helper()
		if v.Away == nil || v.Away.RawQuery != "" {
			t.Fatalf("sent to %v from %s", v.Away, v.At)
		}
		q, err := url.ParseQuery(v.Away.EscapedFragment())
		w.must(err)
		return q
	}
	t.Run("id_token comes in the fragment with what the scopes stand for", func(t *testing.T) {
		b := w.browser()
		q := fragment(t, b.through(b.get(w.authorizeURL(standard, "response_type", "id_token", "nonce", "n1", "scope",
			"openid email")), somebody))
		claims := payload(t, q.Get("id_token"))
		if claims["nonce"] != "n1" || claims["aud"] != standard.ID || claims["email"] != somebody ||
			claims["at_hash"] != nil || q.Get("code") != "" {
			t.Errorf("claims %v in %v", claims, q)
		}
	})
	t.Run("code id_token: both come, and c_hash binds them", func(t *testing.T) {
		b := w.browser()
		q := fragment(t, b.through(b.get(w.authorizeURL(standard, "response_type", "code id_token", "nonce", "n1")),
			somebody))
		front := payload(t, q.Get("id_token"))
		if front["c_hash"] == nil || front["nonce"] != "n1" {
			t.Errorf("claims %v", front)
		}
		back := payload(t, b.redeem(standard, q.Get("code")).JSON(t)["id_token"])
		if back["sub"] != front["sub"] || back["iss"] != front["iss"] || back["nonce"] != "n1" || back["at_hash"] == nil {
			t.Errorf("front %v, back %v", front, back)
		}
	})
	for name, pairs := range map[string][]string{
		"id_token without a nonce":      {"response_type", "id_token"},
		"code id_token without a nonce": {"response_type", "code id_token"},
		"id_token in the query":         {"response_type", "id_token", "nonce", "n", "response_mode", "query"},
		"code id_token in the query":    {"response_type", "code id_token", "nonce", "n", "response_mode", "query"},
	} {
		t.Run(name, func(t *testing.T) {
			if q := fragment(t, w.browser().get(w.authorizeURL(standard, pairs...))); q.Get("error") != "invalid_request" ||
				q.Get("state") != "some-state" {
				t.Errorf("answer %v", q)
			}
		})
	}
	t.Run("id_token without openid", func(t *testing.T) {
		q := fragment(t, w.browser().get(w.authorizeURL(standard, "response_type", "id_token", "nonce",
			"n", "scope", "email")))
		if q.Get("error") != "invalid_scope" {
			t.Errorf("answer %v", q)
		}
	})
	t.Run("a platform client gets id_token by form_post alone, nonce optional", func(t *testing.T) {
		b := w.browser()
		v := b.through(b.get(w.authorizeURL(platform, "response_type", "id_token", "response_mode", "form_post")), somebody)
		_, fields := v.form(b, "form-post")
		if claims := payload(t, fields.Get("id_token")); claims["nonce"] != nil || claims["sub"] == "" {
			t.Errorf("claims %v", claims)
		}
		v = w.browser().get(w.authorizeURL(platform, "response_type", "id_token", "response_mode", "fragment"))
		if _, fields = v.form(b, "form-post"); fields.Get("error") != "invalid_request" {
			t.Errorf("in the fragment: %v", fields)
		}
	})
}
