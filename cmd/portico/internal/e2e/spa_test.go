package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// spa serves a single-page application. What its page is, page says at every
// request: it has to know addresses that come later.
func spa(t *testing.T, page func() string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/lib/", http.StripPrefix("/lib/", http.FileServer(http.Dir(nodeModules(t)))))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page()))
	})
	mux.HandleFunc("/bye", func(w http.ResponseWriter, _ *http.Request) { say(w, "signed-out", "Bye") })
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return onLoopback(t, mux)
}

// Rules: DISC-8, SERVER-5
func TestASinglePageAppWorksAsItsGuideSays(t *testing.T) {
	t.Parallel()
	nodeModules(t)
	browser := chromium(t)
	s := start(t, sqliteURL(t))
	subject := s.person("person@example.test")
	var program string
	app := spa(t, func() string { return program })
	c := s.register("oidc-client-ts.md", "https://app.example.test", app)
	program = weave(t, "spa.html", "oidc-client-ts.md", "https://id.example.test", s.URL, "YOUR_CLIENT_ID", c.ID,
		"https://app.example.test", app)

	b := newTab(t, browser, true)
	heard := b.complaints()
	b.open(app)
	if b.text("ready") != "no" {
		t.Error("somebody is signed in before the sign-in")
	}
	b.click("sign-in")
	b.signIn("person@example.test")
	b.click("consent-allow")
	if got := b.text("person"); got != subject+" person@example.test" {
		t.Errorf("signed in as %s", got)
	}
	b.click("refresh")
	if got := b.text("refreshed"); got != "true" {
		t.Errorf("refreshed: %s", got)
	}
	if list := heard.all(); len(list) > 0 {
		t.Errorf("the browser complained:\n%s", strings.Join(list, "\n"))
	}
	b.click("revoke")
	if got := b.text("revoked"); got != "401 true" {
		t.Errorf("after revocation, user info and refresh token: %s", got)
	}
	b.click("sign-out")
	b.await("signed-out")
	b.open(s.URL)
	b.await("login-submit")
}

// Rules: DPOP-6, DPOP-7, DPOP-8, SERVER-5
func TestASinglePageAppBindsItsTokensToAKeyOfTheBrowser(t *testing.T) {
	nodeModules(t)
	browser := chromium(t)
	s := start(t, sqliteURL(t), "DPOP_NONCES=on")
	s.person("person@example.test")
	var page string
	app := spa(t, func() string { return page })
	c := s.client("--type", "spa", "--redirect-uri", app+"/", "--scope", "openid email", "--dpop-bound")
	page = strings.NewReplacer("ISSUER", s.URL, "CLIENT_ID",
		c.ID).Replace(string(must(os.ReadFile("testdata/spa_dpop.html"))))
	b := newTab(t, browser, true)
	b.open(app)
	b.click("sign-in")
	b.signIn("person@example.test")
	b.click("consent-allow")
	if got := b.text("person"); got != "person@example.test DPoP 401" {
		t.Errorf("signed in: %s", got)
	}
	b.click("refresh")
	if got := b.text("refreshed"); got != "person@example.test DPoP 401" {
		t.Errorf("refreshed: %s", got)
	}
}

// Rule: SERVER-5
func TestScriptsOfAnOriginThatNobodyRegisteredReadNothingButWhatIsPublic(t *testing.T) {
	nodeModules(t)
	browser := chromium(t)
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	registered := spa(t, func() string { return "<!doctype html><title>App</title>" })
	stranger := spa(t, func() string { return "<!doctype html><title>App</title>" })
	s.client("--type", "spa", "--redirect-uri", registered+"/")
	token := s.visitor("person@example.test").tokens(s.client()).text("access_token")

	for origin, reads := range map[string]bool{registered: true, stranger: false} {
		b := newTab(t, browser, true)
		b.open(origin)
		for script, want := range map[string]bool{
			"fetch('" + s.URL + discoveryPath + "')":                                                             true,
			"fetch('" + s.URL + keysPath + "')":                                                                  true,
			"fetch('" + s.URL + userInfoPath + "', {headers: {Authorization: 'Bearer " + token + "'}})":          reads,
			"fetch('" + s.URL + userInfoPath + "', {credentials: 'include'})":                                    false,
			"fetch('" + s.URL + tokenPath + "', {method: 'POST', body: new URLSearchParams({grant_type: 'x'})})": reads,
			"fetch('" + s.URL + revokePath + "', {method: 'POST', body: new URLSearchParams({token: 'x'})})":     reads,
			"fetch('" + s.URL + authorizePath + "')":                                                             false,
			"fetch('" + s.URL + "/login')":                                                                       false,
			"fetch('" + s.URL + introspectPath + "', {method: 'POST', body: new URLSearchParams({token: 'x'})})": false,
		} {
			got, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](script+".then(() => true, () => false)",
				chromedp.EvalAwaitPromise))
			if err != nil || got != want {
				t.Errorf("registered origin %v: %s reads %v, want %v (%v)", reads, script, got, want, err)
			}
		}
	}
}

// As MCP Inspector does: a page that a program serves on the device itself, at a port of its
// choice, looks at the refusal of /mcp, registers itself as a native app and asks for tokens.
//
// Rule: SERVER-55
func TestAPageOfTheDeviceItselfIsANativeApp(t *testing.T) {
	browser := chromium(t)
	s := start(t, sqliteURL(t), "MCP=on")
	page := spa(t, func() string { return "<!doctype html><title>Inspector</title>" })
	b := newTab(t, browser, true)
	b.open(page)
	reads := func(script string) string {
		t.Helper()
		got, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
		s.must(err)
		return got
	}
	asked := "fetch('" + s.URL + "/mcp', {method: 'POST', headers: {'Mcp-Method': 'initialize', " +
		"'MCP-Protocol-Version': '2025-11-25'}}).then(r => r.headers.get('WWW-Authenticate'))"
	if told := reads(asked); !strings.Contains(told, "resource_metadata=") {
		t.Errorf("/mcp refuses with %q", told)
	}
	tokens := "fetch('" + s.URL + tokenPath + "', {method: 'POST', body: new URLSearchParams({grant_type: 'x'})})" +
		".then(r => 'status ' + r.status, e => 'nothing')"
	if got := reads(tokens); got != "nothing" {
		t.Errorf("before it is an app it reads of the token endpoint: %s", got)
	}
	s.client("--type", "native", "--redirect-uri", strings.TrimRight(page[:strings.LastIndex(page, ":")], "/")+"/callback")
	eventually(t, patience, "it reads what the token endpoint answers", func() bool { return reads(tokens) == "status 401" })
}
