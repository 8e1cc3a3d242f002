package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/portico-id/portico/internal/harness/freeport"
	"github.com/portico-id/portico/internal/harness/pgtest"
)

// ofFederation are the routes of pages of upstreams, directories, connections and
// connected accounts.
var ofFederation = regexp.MustCompile(`^/(admin/(upstreams|directories|connections)|account/identities)(/|$)`)

// bothSigningIn are a site and another Portico, by which people sign in there, too.
func bothSigningIn(t *testing.T) (here, works *site) {
	t.Helper()
	here = start(t, pgtest.URL(t))
	at := freeport.Address(t) // another host for the browser than that of the site
	works = start(t, sqliteURL(t), "LISTEN="+at, "BASE_URL=http://"+at)
	client := works.client("--redirect-uri", here.URL+"/login/upstream/works/callback",
		"--post-logout-uri", here.URL+"/login/upstream/works/signed-out", "--scope", "openid email profile")
	secret := filepath.Join(t.TempDir(), "secret")
	here.must(os.WriteFile(secret, []byte(client.Secret), 0o600))
	here.command("", "upstream", "create", "works", "--preset", "portico", "--secret-file", secret,
		"issuer="+works.URL, "client_id="+client.ID, "networks=127.0.0.0/8", "trust_email=true", "offer_logout=true",
		"scopes=openid,email,profile", "name=Works")
	here.command("", "upstream", "create", "down", "--preset", "oidc", "issuer=http://127.0.0.1:1", "client_id=c",
		"networks=127.0.0.0/8")
	here.command("", "upstream", "create", "off", "--preset", "oidc", "issuer=http://127.0.0.1:1", "client_id=c",
		"networks=127.0.0.0/8")
	here.command("", "upstream", "disable", "off")
	here.tolerate("upstream_unreachable")
	return here, works
}

// follow goes by the keyboard to what the selector finds, and on to the page behind it.
func (h sitting) follow(selector string) {
	h.Helper()
	const mark = `(() => {
		const found = document.querySelector(%q);
		if (found) found.id ||= "marked";
		return found?.id ?? "";
	})()`
	h.ready()
	id, err := chromedp.Run(h.ctx, chromedp.Evaluate[string](fmt.Sprintf(mark, selector)))
	if err != nil || id == "" {
		h.Fatalf("nothing is %s: %v\n%s", selector, err, h.shows())
	}
	h.enters(id)
}

// Every page of federation that people come to: before, at and after a sign-in by an
// upstream, where it fails, and where they sign out here and there, by the keyboard alone.
// Those of administrators are among those of TestEveryPageIsAccessible, which is held to
// that here.
//
// Rules: FED-5, FED-9, FED-23, FED-27, PAGE-10
func TestEveryPageOfFederationIsAccessible(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	axe := newAxe(t, browser)
	here, works := bothSigningIn(t)
	here.person("here@example.test")
	works.person("there@works.test")
	b := sitting{newTab(t, browser, true), true}
	b.look(looks()[1])
	judge := func(where string) { b.accessible(axe, where) }
	fails := func(path, where string) {
		b.open(here.URL + path)
		b.await("error-page")
		judge(where)
	}
	fails("/login/upstream/none", "no such upstream")
	fails("/login/upstream/down", "an upstream that is down")
	fails("/login/upstream/off", "an upstream that is off")
	fails("/login/upstream/works/callback?state=s&code=c", "an answer of no visit")
	b.open(here.URL + "/login")
	b.await("elsewhere")
	judge("the sign-in page with upstreams")
	b.follow(`#elsewhere a[href*="/login/upstream/works"]`)
	b.signsIn("there@works.test")
	b.enters("consent-allow")
	b.await("error-page")
	judge("no account here")
	b.open(here.URL + "/account/identities")
	b.signsIn("here@example.test")
	b.await("identities")
	judge("no connected account")
	b.follow(`#identities a[href$="/connect/works"]`)
	b.await("confirm-submit")
	judge("an account elsewhere is about to be connected")
	b.enters("confirm-submit")
	b.await("identities")
	judge("a connected account")
	b.follow(`#identities a[href$="/disconnect/works"]`)
	b.await("confirm-submit")
	judge("an account elsewhere is about to be disconnected")
	b.open(here.URL + "/login/upstream/works")
	b.open(here.URL + logoutPath)
	b.await("leave")
	judge("signed out here, and there is asked")
	b.enters("leave")
	b.await("login-submit")
	judge("signed out here and there")
	owner := "owner@works.test"
	works.person(owner)
	here.person(owner)
	here.command("", "user", "update", owner, "--set", "email_verified=false")
	b.open(here.URL + "/login/upstream/works")
	b.signsIn(owner)
	b.enters("consent-allow")
	b.await("claim-form-submit")
	judge("an account with one's address that lay in wait")
	b.enters("claim-form-submit")
	b.await("signout")
	b.closes()
}

// Rule: PAGE-10
func TestTheWalkOfPagesSeesThoseOfFederation(t *testing.T) {
	t.Parallel()
	f := furnish(t, sqliteURL(t), nil)
	shown := map[string]bool{}
	for _, path := range f.pages(t) {
		shown[path] = true
	}
	elsewhere := map[string]bool{ // TestEveryPageOfFederationIsAccessible shows them
		"/account/identities/connect/{upstreamId}": true, "/account/identities/disconnect/{upstreamId}": true,
		"/account/identities/confirm": true,
	}
	count := 0
	for _, route := range pageRoutes(t) {
		if route.method != http.MethodGet || !ofFederation.MatchString(route.template) || elsewhere[route.template] {
			continue
		}
		count++
		seen := false
		for _, path := range f.at(route.template) {
			got := f.admin.fetch("GET", path)
			seen = seen || shown[path] && got.Status == http.StatusOK || got.Status == http.StatusSeeOther
		}
		if !seen {
			t.Errorf("%s is shown to nobody, or as an error", route.template)
		}
	}
	if count < 12 {
		t.Errorf("%d routes: the test no longer finds them", count)
	}
}
