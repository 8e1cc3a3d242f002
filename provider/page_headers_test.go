package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/portico-id/portico/provider/apps"
)

// everyPage returns each page of the provider by name, and whether its form may
// end at a client.
func (w *world) everyPage() (pages map[string]visit, interactive map[string]bool) {
	w.Helper()
	w.person(somebody)
	a := w.app(apps.Registration{PostLogoutRedirectURIs: []string{bye}})
	b := w.browser()
	pages = map[string]visit{}
	pages["sign-in"] = b.get(w.URL + "/login")
	pages["sign-in for an app"] = b.get(w.authorizeURL(a))
	pages["refused sign-in"] = b.submit(pages["sign-in for an app"], "login-form",
		form("username", somebody, "password", "wrong horse"))
	pages["consent"] = b.submit(pages["sign-in for an app"], "login-form",
		form("username", somebody, "password", goodPassword))
	pages["home"] = b.get(w.URL + "/")
	pages["sign-out"] = b.get(w.logoutURL("post_logout_redirect_uri", bye, "client_id", a.ID))
	b.code(a, somebody)
	pages["form_post with a code"] = b.get(w.authorizeURL(a, "response_mode", "form_post"))
	pages["form_post with an error"] = b.get(w.authorizeURL(a, "response_mode", "form_post", "max_age", "x"))
	pages["error"] = b.get(w.authorizeURL(a, "redirect_uri", "https://evil.example/"))
	pages["signed out"] = w.browser().get(w.logoutURL())
	return pages, map[string]bool{
		"sign-in for an app": true, "refused sign-in": true, "consent": true, "sign-out": true,
		"form_post with a code": true, "form_post with an error": true,
	}
}

// Rule: PAGE-1
func TestHeadersOfEveryPage(t *testing.T) {
	w := newWorld(t, settings{})
	pages, interactive := w.everyPage()
	for name, v := range pages {
		t.Run(name, func(t *testing.T) {
			h := v.Header
			if h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("Cache-Control") != "no-store" ||
				h.Get("Referrer-Policy") != "same-origin" {
				t.Errorf("headers %v", h)
			}
			// A failure ends what a window was opened for: it is a page of our own again.
			want := map[bool]string{false: "same-origin", true: "same-originsame-origin"}[name == "error"]
			if got := h.Get("Cross-Origin-Resource-Policy") + h.Get("Cross-Origin-Opener-Policy"); got != want {
				t.Errorf("a page that is shown by others, or leaves the window it was opened from: %q", got)
			}
			policy := directives(h.Get("Content-Security-Policy"))
			for directive, want := range map[string]string{
				"default-src": "'none'", "script-src": "'self'", "style-src": "'self'",
				"frame-ancestors": "'none'", "base-uri": "'none'",
			} {
				if policy[directive] != want {
					t.Errorf("%s is %q, want %q", directive, policy[directive], want)
				}
			}
			// Browsers hold form-action against the redirects after a form as well.
			if got := policy["form-action"]; interactive[name] != (got == "") || got != "" && got != "'self'" {
				t.Errorf("form-action is %q", got)
			}
			if strings.Contains(h.Get("Content-Security-Policy"), "unsafe") {
				t.Errorf("the policy allows what is unsafe: %s", h.Get("Content-Security-Policy"))
			}
		})
	}
}

func directives(policy string) map[string]string {
	all := map[string]string{}
	for directive := range strings.SplitSeq(policy, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), " ")
		all[name] = value
	}
	return all
}

// Rule: PAGE-2
func TestPagesLoadNothingFromElsewhereAndHoldNoScriptOfTheirOwn(t *testing.T) {
	w := newWorld(t, settings{})
	pages, _ := w.everyPage()
	for name, v := range pages {
		page, err := html.Parse(strings.NewReader(string(v.Body)))
		w.must(err)
		for n := range page.Descendants() {
			at := attributes(n)
			for _, link := range []string{"src", "href"} {
				u, err := url.Parse(at[link])
				if n.Data != "a" && (err != nil || u.Host != "" || u.Scheme != "" && u.Scheme != "data") {
					t.Errorf("%s: <%s %s=%q>", name, n.Data, link, at[link])
				}
			}
			if n.Data == "script" && at["src"] == "" || at["style"] != "" || at["onclick"] != "" || at["onload"] != "" {
				t.Errorf("%s: <%s> has script or style within", name, n.Data)
			}
		}
	}
}

// Rule: AUTH-27
func TestAuthoptionsDressTheSignInPage(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	dark := string(w.browser().get(w.authorizeURL(a, "authoptions",
		`{"theme":"dark","login_hint":"hint@example.test","pigeon":1}`)).Body)
	if !strings.Contains(dark, `data-theme="dark"`) || !strings.Contains(dark, `value="hint@example.test"`) {
		t.Errorf("the page is\n%s", dark)
	}
	hinted := string(w.browser().get(w.authorizeURL(a, "authoptions", `{"login_hint":"hint@example.test"}`, "login_hint",
		"other@example.test")).Body)
	if !strings.Contains(hinted, `value="other@example.test"`) {
		t.Errorf("login_hint does not win:\n%s", hinted)
	}
	if other := string(w.browser().get(w.authorizeURL(a, "authoptions",
		`{"Theme":"dark","LOGIN_HINT":"hint@example.test"}`)).Body); strings.Contains(other, `data-theme="dark"`) ||
		strings.Contains(other, "hint@") {
		t.Errorf("members in other case count:\n%s", other)
	}
	plainPage := w.browser().get(w.authorizeURL(a, "authoptions", `{"theme":"\"><script>"}`))
	if plainPage.Status != http.StatusOK || strings.Contains(string(plainPage.Body), `"><script>`) {
		t.Errorf("status %d:\n%s", plainPage.Status, plainPage.Body)
	}
	for _, bad := range []string{"[]", `"x"`, "null", "1", `{"theme":1}`, `{"theme":"dark","theme":"light"}`, "{"} {
		if v := w.browser().get(w.authorizeURL(a, "authoptions", bad)); v.Away == nil ||
			v.Away.Query().Get("error") != "invalid_request" {
			t.Errorf("%s: sent to %v", bad, v.Away)
		}
	}
}

// Rule: PAGE-16
func TestTheAddressesAboveThePagesLeadToThem(t *testing.T) {
	w := newWorld(t, settings{})
	for path, want := range map[string]string{"/account": "/", "/admin": "/admin/users"} {
		r, err := http.NewRequest(http.MethodGet, w.URL+path, nil)
		w.must(err)
		if got := w.do(plain, r); got.Status != http.StatusSeeOther || got.Header.Get("Location") != want {
			t.Errorf("%s: %d to %q", path, got.Status, got.Header.Get("Location"))
		}
	}
}
