package provider_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

const (
	bye        = "https://app.example.test/bye"
	logoutPath = "/authentication/v2/logout"
)

func (w *world) logoutURL(pairs ...string) string {
	return w.URL + logoutPath + "?" + form(pairs...).Encode()
}

// signedIn returns a browser in which somebody is signed in, and the ID token
// that the app got.
func (w *world) signedIn(a app) (*browser, string) {
	w.Helper()
	b := w.browser()
	return b, b.tokens(a, somebody)["id_token"].(string)
}

// isSignedIn reports whether the browser's person is still signed in.
func (b *browser) isSignedIn() bool {
	b.Helper()
	return b.get(b.URL+"/").At.Path == "/"
}

func (b *browser) isError(v visit) {
	b.Helper()
	if v.Away != nil || v.Status != http.StatusBadRequest || !strings.Contains(string(v.Body), `id="error-page"`) {
		b.Errorf("status %d, sent to %v, want our error page", v.Status, v.Away)
	}
	if !b.isSignedIn() {
		b.Error("a refused request signed the person out")
	}
}

// Rule: LOGOUT-2
func TestLogoutWithoutAnAddressEndsOnASignInPageThatSaysSo(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	for name, pairs := range map[string][]string{"no parameters": nil, "only state": {"state", "s"},
		"a client and no address": {"client_id", a.ID}} {
		t.Run(name, func(t *testing.T) {
			b, _ := w.signedIn(a)
			v := b.get(w.logoutURL(pairs...))
			if v.Away != nil || v.At.Path != "/login" || v.At.RawQuery != "signed_out=1" ||
				!strings.Contains(string(v.Body), "You are signed out.") {
				t.Errorf("ended on %s, sent to %v:\n%s", v.At, v.Away, v.Body)
			}
			if b.isSignedIn() {
				t.Error("still signed in")
			}
		})
	}
}

// Rule: LOGOUT-3
func TestLogoutOfAPlatformClientNeedsNoHint(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{Profile: storage.ProfilePlatform, PostLogoutRedirectURIs: []string{bye}})
	b, _ := w.signedIn(a)
	if v := b.get(w.logoutURL("post_logout_redirect_uri", bye)); v.Away == nil || v.Away.String() != bye ||
		v.Status != http.StatusFound {
		t.Errorf("status %d, sent to %v", v.Status, v.Away)
	}
	if b.isSignedIn() {
		t.Error("still signed in")
	}
}

// Rule: LOGOUT-4
func TestLogoutOfAStandardClientNeedsAHintOrTheClientID(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{PostLogoutRedirectURIs: []string{bye}})
	b, hint := w.signedIn(a)
	b.isError(b.get(w.logoutURL("post_logout_redirect_uri", bye)))

	t.Run("with the client id the person is asked", func(t *testing.T) {
		v := b.get(w.logoutURL("post_logout_redirect_uri", bye, "client_id", a.ID, "state", "st"))
		if v.Away != nil || v.Status != http.StatusOK || !b.isSignedIn() {
			t.Fatalf("status %d, sent to %v", v.Status, v.Away)
		}
		if v = b.submit(v, "signout-form", nil); v.Away == nil || v.Away.String() != bye+"?state=st" ||
			v.Status != http.StatusSeeOther {
			t.Errorf("status %d, sent to %v", v.Status, v.Away)
		}
		if b.isSignedIn() {
			t.Error("still signed in")
		}
	})
	t.Run("with a hint nothing is asked", func(t *testing.T) {
		b, hint := w.signedIn(a)
		if v := b.get(w.logoutURL("post_logout_redirect_uri", bye, "id_token_hint", hint)); v.Away == nil ||
			v.Away.String() != bye || b.isSignedIn() {
			t.Errorf("status %d, sent to %v", v.Status, v.Away)
		}
	})
	t.Run("with a hint that has expired nothing is asked", func(t *testing.T) {
		b, hint := w.signedIn(a)
		w.wait(2 * time.Hour)
		if v := b.get(w.logoutURL("post_logout_redirect_uri", bye, "id_token_hint", hint, "client_id",
			a.ID)); v.Away == nil || b.isSignedIn() {
			t.Errorf("status %d, sent to %v", v.Status, v.Away)
		}
	})
	t.Run("with a hint about somebody else the person is asked", func(t *testing.T) {
		w.person("other@example.test")
		b := w.browser()
		b.through(b.get(w.URL+"/login"), "other@example.test")
		v := b.get(w.logoutURL("post_logout_redirect_uri", bye, "id_token_hint", hint))
		if v.Away != nil || v.Status != http.StatusOK || !b.isSignedIn() {
			t.Fatalf("status %d, sent to %v", v.Status, v.Away)
		}
		if v = b.submit(v, "signout-form", nil); v.Away == nil || v.Away.String() != bye || b.isSignedIn() {
			t.Errorf("after the answer: at %s, sent to %v", v.At, v.Away)
		}
	})
	t.Run("nobody signed in: straight back", func(t *testing.T) {
		if v := w.browser().get(w.logoutURL("post_logout_redirect_uri", bye, "client_id", a.ID)); v.Away == nil ||
			v.Away.String() != bye {
			t.Errorf("status %d, sent to %v", v.Status, v.Away)
		}
	})
}

// Rule: LOGOUT-5
func TestLogoutNeverRedirectsToWhatIsNotProven(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{PostLogoutRedirectURIs: []string{bye}})
	other := w.app(apps.Registration{Name: "Other App"})
	w.app(apps.Registration{Profile: storage.ProfilePlatform, PostLogoutRedirectURIs: []string{bye + "/platform"}})
	b := w.browser()
	body := b.tokens(a, somebody)
	hint := body["id_token"].(string)
	parts := strings.Split(hint, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + "."
	for name, pairs := range map[string][]string{
		"an address that nobody registered": {"post_logout_redirect_uri", "https://evil.example/", "id_token_hint", hint},
		"a query added":                     {"post_logout_redirect_uri", bye + "?foo=bar", "id_token_hint", hint},
		"a path added":                      {"post_logout_redirect_uri", bye + "/", "id_token_hint", hint},
		"another client's address":          {"post_logout_redirect_uri", bye, "client_id", other.ID},
		"another client's address, hinted":  {"post_logout_redirect_uri", bye + "/platform", "id_token_hint", hint},
		"a client that does not exist":      {"post_logout_redirect_uri", bye, "client_id", "nobody"},
		"a hint and another client id":      {"post_logout_redirect_uri", bye, "id_token_hint", hint, "client_id", other.ID},
		"the redirect URI of sign-in":       {"post_logout_redirect_uri", callback, "id_token_hint", hint},
	} {
		t.Run(name, func(t *testing.T) { b.isError(b.get(w.logoutURL(pairs...))) })
	}
	for name, unreadable := range map[string]string{
		"a hint of no signature":        none,
		"a hint that was changed":       flip(hint, len(parts[0])+10),
		"a hint with another signature": flip(hint, len(hint)-20),
		"an access token as hint":       body["access_token"].(string),
	} {
		t.Run(name+" is none: the person is asked, and stays with us", func(t *testing.T) {
			b := w.browser()
			b.through(b.get(w.URL+"/login"), somebody)
			v := b.get(w.logoutURL("post_logout_redirect_uri", bye, "id_token_hint", unreadable))
			if v.Away != nil || v.Status != http.StatusOK || !b.isSignedIn() {
				t.Fatalf("status %d, sent to %v", v.Status, v.Away)
			}
			if v = b.submit(v, "signout-form", nil); v.Away != nil || v.At.Path != "/login" || b.isSignedIn() {
				t.Errorf("after the answer: at %s, sent to %v", v.At, v.Away)
			}
		})
	}
	b.isError(b.get(w.logoutURL("post_logout_redirect_uri", bye, "id_token_hint", hint) + "&state=a&state=b"))
	if v := b.get(w.logoutURL("post_logout_redirect_uri", bye, "id_token_hint", hint)); v.Away == nil ||
		v.Away.String() != bye {
		t.Errorf("without the trick: status %d, sent to %v", v.Status, v.Away)
	}
}

// Rule: LOGOUT-6
func TestLogoutEchoesStateAndNothingElse(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	own := bye + "?own=1"
	a := w.app(apps.Registration{PostLogoutRedirectURIs: []string{bye, own}})
	for _, state := range []string{`"<>#&%'+/\=`, strings.Repeat("~", 50), ""} {
		b, hint := w.signedIn(a)
		v := b.get(w.logoutURL("post_logout_redirect_uri", bye, "id_token_hint", hint, "state", state))
		want := url.Values{}
		if state != "" {
			want.Set("state", state)
		}
		if v.Away == nil || v.Away.RawQuery != want.Encode() {
			t.Errorf("state %q: sent to %v", state, v.Away)
		}
	}
	b, hint := w.signedIn(a)
	if v := b.get(w.logoutURL("post_logout_redirect_uri", own, "id_token_hint", hint, "state", "s")); v.Away == nil ||
		v.Away.String() != own+"&state=s" {
		t.Errorf("an address with a query of its own: sent to %v", v.Away)
	}
}

// Rule: LOGOUT-7
func TestLogoutByPOSTGoesOnWithGET(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{PostLogoutRedirectURIs: []string{bye}})
	b, hint := w.signedIn(a)
	post := func(pairs ...string) visit {
		r, err := http.NewRequest(http.MethodPost, w.URL+logoutPath, strings.NewReader(form(pairs...).Encode()))
		w.must(err)
		r.Header.Set("Content-Type", formType)
		r.Header.Set("Sec-Fetch-Site", "cross-site") // a relying party may send it by right
		return b.follow(r)
	}
	if v := post("post_logout_redirect_uri", bye, "client_id", a.ID); v.Status != http.StatusOK ||
		v.Away != nil || !b.isSignedIn() {
		t.Errorf("without a hint: status %d, sent to %v", v.Status, v.Away)
	}
	if v := post("post_logout_redirect_uri", bye, "id_token_hint", hint); v.Status != http.StatusSeeOther ||
		v.Away.String() != bye || b.isSignedIn() {
		t.Errorf("with a hint: status %d, sent to %v", v.Status, v.Away)
	}
}

// Rule: LOGOUT-1
func TestLogoutEndsTheSessionOnTheServer(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{PostLogoutRedirectURIs: []string{bye}})
	b, hint := w.signedIn(a)
	at, err := url.Parse(w.URL)
	w.must(err)
	kept := b.client.Jar.Cookies(at)
	if v := b.get(w.authorizeURL(a, "prompt", "none")); v.Away == nil || v.Away.Query().Get("code") == "" {
		t.Fatalf("before: sent to %v", v.Away)
	}
	b.get(w.logoutURL("post_logout_redirect_uri", bye, "id_token_hint", hint))
	if left := b.cookie("portico"); left != "" {
		t.Errorf("the browser keeps %q", left)
	}
	thief := w.browser()
	thief.client.Jar.SetCookies(at, kept)
	for name, browser := range map[string]*browser{"the browser": b, "one that kept the cookie": thief} {
		if v := browser.get(w.authorizeURL(a, "prompt", "none")); v.Away == nil ||
			v.Away.Query().Get("error") != "login_required" {
			t.Errorf("%s: sent to %v", name, v.Away)
		}
	}
}

// crossSiteLogout is a visit to our logout that another site sent the browser on. A
// form comes without the cookie of our session, as SameSite=Lax has it.
func (b *browser) crossSiteLogout(method string, pairs ...string) visit {
	b.Helper()
	send := func(method, to, body string) answer {
		r, err := http.NewRequest(method, to, strings.NewReader(body))
		b.must(err)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if method == http.MethodPost {
			r.Header.Set("Content-Type", formType)
			return b.do(plain, r)
		}
		return b.do(b.client, r)
	}
	if method == http.MethodPost {
		got := send(method, b.URL+logoutPath, form(pairs...).Encode())
		if got.Status != http.StatusSeeOther || len(got.Header.Values("Set-Cookie")) > 0 {
			b.Errorf("a form without cookies: status %d, cookies %q", got.Status, got.Header.Values("Set-Cookie"))
		}
		return b.arrived(send(http.MethodGet, b.URL+got.Header.Get("Location"), ""))
	}
	return b.arrived(send(method, b.logoutURL(pairs...), ""))
}

// arrived is where an answer of logout leaves the browser.
func (b *browser) arrived(got answer) visit {
	b.Helper()
	at, err := url.Parse(b.URL + logoutPath)
	b.must(err)
	if location := got.Header.Get("Location"); location != "" {
		away, err := at.Parse(location)
		b.must(err)
		return visit{answer: got, At: at, Away: away}
	}
	return visit{answer: got, At: at}
}

// Rule: LOGOUT-11
func TestAnotherSiteSignsNobodyOutUnasked(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	platform := w.app(apps.Registration{
		Profile: storage.ProfilePlatform, Scopes: []string{"openid"}, PostLogoutRedirectURIs: []string{bye},
	})
	standard := w.app(apps.Registration{PostLogoutRedirectURIs: []string{bye + "/standard"}})
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		for name, pairs := range map[string][]string{
			"nothing": nil, "only state": {"state", "s"},
			"a client without an address":          {"client_id", standard.ID},
			"a platform client without an address": {"client_id", platform.ID},
		} {
			t.Run(method+" "+name, func(t *testing.T) {
				b, _ := w.signedIn(standard)
				v := b.crossSiteLogout(method, pairs...)
				if v.Status != http.StatusOK || v.Away != nil || !b.isSignedIn() {
					t.Fatalf("status %d, sent to %v", v.Status, v.Away)
				}
				if v = b.submit(v, "signout-form", nil); v.At.Path != "/login" ||
					v.At.RawQuery != "signed_out=1" || b.isSignedIn() {
					t.Errorf("after the answer: at %s", v.At)
				}
			})
		}
		t.Run(method+" with a hint nothing is asked", func(t *testing.T) {
			b, hint := w.signedIn(standard)
			if v := b.crossSiteLogout(method, "id_token_hint", hint); v.Away == nil ||
				v.Away.Path != "/login" || b.isSignedIn() {
				t.Errorf("status %d, sent to %v", v.Status, v.Away)
			}
		})
		t.Run(method+" with a platform client's address nothing is asked", func(t *testing.T) {
			b, _ := w.signedIn(platform)
			if v := b.crossSiteLogout(method, "post_logout_redirect_uri", bye); v.Away == nil ||
				v.Away.String() != bye || b.isSignedIn() {
				t.Errorf("status %d, sent to %v", v.Status, v.Away)
			}
		})
		t.Run(method+" of nobody who is signed in", func(t *testing.T) {
			if v := w.browser().crossSiteLogout(method); v.Away == nil || v.Away.Path != "/login" {
				t.Errorf("status %d, sent to %v", v.Status, v.Away)
			}
		})
	}
	for _, site := range []string{"same-origin", "same-site", "none", ""} {
		b, _ := w.signedIn(standard)
		r, err := http.NewRequest(http.MethodGet, w.logoutURL(), nil)
		w.must(err)
		r.Header.Set("Sec-Fetch-Site", site)
		if v := b.follow(r); v.At.RawQuery != "signed_out=1" || b.isSignedIn() {
			t.Errorf("%q: at %s", site, v.At)
		}
	}
}
