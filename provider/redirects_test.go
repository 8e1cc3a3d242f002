package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/apps"
)

// once sends what a page's form or a link would, and follows nothing.
func (b *browser) once(method, path string, values url.Values) answer {
	b.Helper()
	if method == http.MethodGet && len(values) > 0 {
		path += "?" + values.Encode()
		values = nil
	}
	r, err := http.NewRequest(method, b.URL+path, strings.NewReader(values.Encode()))
	b.must(err)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", formType)
	}
	return b.do(b.client, r)
}

// Rule: AUTH-26
func TestARedirectAfterGETIsFoundAndAfterPOSTSeeOther(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{PostLogoutRedirectURIs: []string{bye}})
	b := w.browser()
	hint := b.tokens(a, somebody)["id_token"].(string)
	asked, wrong := queryOf(t, w.authorizeURL(a)), queryOf(t, w.authorizeURL(a, "max_age", "x"))
	leave := form("post_logout_redirect_uri", bye, "id_token_hint", hint)
	page := w.browser().get(w.authorizeURL(a))
	password := form("username", somebody, "password", goodPassword)
	const authorize = "/authentication/v2/authorize"
	steps := []struct {
		name   string
		by     *browser
		method string
		path   string
		values url.Values
		status int
		to     string
	}{
		{"authorize, nobody signed in", w.browser(), "GET", authorize, asked, 302, "/login?request="},
		{"authorize by form", w.browser(), "POST", authorize, asked, 303, authorize + "/resume?request="},
		{"authorize's answer", b, "GET", authorize, asked, 302, callback + "?code="},
		{"authorize's error", b, "GET", authorize, wrong, 302, callback + "?error="},
		{"authorize's error by form", b, "POST", authorize, wrong, 303, callback + "?error="},
		{"sign-in", w.browser(), "POST", "/login", password, 303, "/"},
		{"sign-in for an app", w.browser(), "POST", page.At.RequestURI(), password, 303, authorize + "/resume?request="},
		{"logout by form", b, "POST", logoutPath, leave, 303, bye},
		{"logout", b, "GET", logoutPath, leave, 302, bye},
		{"logout without an address", b, "GET", logoutPath, nil, 302, "/login?signed_out=1"},
	}
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			got := s.by.once(s.method, s.path, s.values)
			if got.Status != s.status || !strings.HasPrefix(got.Header.Get("Location"), s.to) {
				t.Errorf("got %d to %q, want %d to %s…", got.Status, got.Header.Get("Location"), s.status, s.to)
			}
			if got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("Cache-Control is %q", got.Header.Get("Cache-Control"))
			}
		})
	}
	t.Run("consent", func(t *testing.T) {
		b := w.browser()
		v := b.submit(b.get(w.authorizeURL(w.app(apps.Registration{}))), "login-form", password)
		action, fields := v.form(b, "consent-form")
		fields.Set("decision", "allow")
		if got := b.once("POST", action, fields); got.Status != http.StatusSeeOther ||
			!strings.HasPrefix(got.Header.Get("Location"), authorize+"/resume?request=") {
			t.Errorf("got %d to %q", got.Status, got.Header.Get("Location"))
		}
	})
}
