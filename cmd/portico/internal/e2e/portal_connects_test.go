package e2e

import (
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Rule: PORTAL-20
func TestAServiceThatIsConnectedIsRegisteredAsItsGuideWantsIt(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("dev@example.test")
	dev := s.signedIn("dev@example.test")
	services := map[string]string{
		"grafana":      "https://g.example.test/login/generic_oauth",
		"gitea":        "https://g.example.test/user/oauth2/Portico/callback",
		"oauth2-proxy": "https://g.example.test/oauth2/callback", "apache": "https://g.example.test/protected/callback",
		"kubelogin": "", "minio": "https://g.example.test/oauth_callback",
	}
	for slug, address := range services {
		_, p := dev.registered("web", "connects", slug, "redirect_uris", address)
		if next := inner(p.Body, `"`, `id="continue"`, `href="`); next != "" {
			got, err := dev.open(s.URL + next)
			s.must(err)
			p = got
		}
		if !strings.HasSuffix(p.At.Path, "/guides/"+slug) ||
			strings.Contains(inner(p.Body, "</div>", `id="missing"`), "rofile") {
			t.Errorf("%s leads to %s\n%s", slug, p.At, p.Body)
		}
	}
	id, _ := dev.registered("web", "connects", "platform")
	page := dev.fetch("GET", "/apps/"+id).Body
	if !strings.Contains(page, "Platform") || strings.Contains(page, "/guides/grafana") {
		t.Errorf("an app of the platform:\n%s", page)
	}
	p, err := dev.open(s.URL + "/apps/new")
	s.must(err)
	if p, err = dev.submit(p, "app-form", form("name", "App", "type", "web", "redirect_uris", callback)); err != nil ||
		p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, "error-connects") {
		t.Errorf("nothing is connected: %d, %v", p.Status, err)
	}
}

// Rule: PORTAL-20
func TestAdministratorsSeeTheGuidesOfAppsWithoutAnOwner(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	s.person("dev@example.test")
	c := s.client()
	path := "/admin/apps/" + c.ID
	admin := s.signedIn("admin@example.test")
	if page := admin.fetch("GET", path).Body; !strings.Contains(page, path+"/guides/grafana") {
		t.Errorf("the page leads to no guide:\n%s", page)
	}
	if got := admin.fetch("GET", path+"/guides/grafana"); got.Status != http.StatusOK ||
		!strings.Contains(got.Body, c.ID) || !strings.Contains(got.Body, path+"/guides/curl") {
		t.Errorf("the guide: %d\n%s", got.Status, got.Body)
	}
	if got := s.signedIn("dev@example.test").fetch("GET", path+"/guides/grafana"); got.Status != http.StatusForbidden {
		t.Errorf("somebody else gets %d", got.Status)
	}
}

// Rule: PORTAL-21
func TestATryOutIsReloadedTriedAgainAndNotTheAppsFailure(t *testing.T) {
	t.Parallel()
	s := start(t, sqliteURL(t))
	s.person("dev@example.test")
	dev := s.signedIn("dev@example.test")
	id, _ := dev.registered("web")
	try := func() page {
		p, err := dev.open(s.URL + "/apps/" + id + "/try")
		s.must(err)
		p, err = dev.through(dev.submit(p, "try-form", form("scopes.openid", "on")))
		s.must(err)
		return p
	}
	for range 2 {
		p := try()
		for _, got := range []answer{p.answer, dev.fetch("GET", p.At.RequestURI())} {
			if !strings.Contains(got.Body, `id="tokens"`) || strings.Contains(got.Body, "invalid_grant") ||
				!strings.Contains(got.Body, `id="try-again"`) {
				t.Errorf("%s: %d\n%s", p.At, got.Status, got.Body)
			}
		}
	}
	refused := url.Values{"client_id": {id}, "response_type": {"code"}, "scope": {"openid nothing"}}
	begin := dev.press("/apps/"+id+"/try", "scopes.openid", "on")
	to, err := url.Parse(begin.Header.Get("Location"))
	s.must(err)
	refused.Set("redirect_uri", to.Query().Get("redirect_uri"))
	p, err := dev.open(s.URL + authorizePath + "?" + refused.Encode())
	s.must(err)
	time.Sleep(time.Second) // what was refused would be on the page by now
	if page := dev.fetch("GET", "/apps/"+id).Body; !strings.Contains(page, "None in the last seven days.") {
		t.Errorf("%s\n%s", p.At, after(page, `id="failures"`))
	}
}

// Rule: ADMIN-23
func TestAnAdministratorChoosesTheHubOfAnAppFromAList(t *testing.T) {
	f := furnish(t, sqliteURL(t), nil)
	f.command("", "hub", "create", "--name", "Example Works")
	page := f.admin.fetch("GET", "/admin/apps/"+f.web["clientId"]).Body
	if list := inner(page, "</select>", `<select id="field-hub"`); strings.Count(list, "<option") != 3 ||
		strings.Count(list, "Example Works (b.") != 2 {
		t.Errorf("the list is %s", list)
	}
	for query, want := range map[string]int{"": 2, "works": 2, f.service["hubId"]: 1, "nothing": 0} {
		if got := f.admin.fetch("GET", "/admin/hubs?q="+query).Body; strings.Count(got,
			"<strong><bdi>Example Works") != want {
			t.Errorf("%q finds\n%s", query, got)
		}
	}
	if got := f.signedIn("person@example.test").fetch("GET", "/admin/hubs"); got.Status != http.StatusForbidden {
		t.Errorf("somebody else gets %d", got.Status)
	}
}

// Rule: ADMIN-24
func TestTheFirstPageOfAFreshServerSaysWhereItsLinkIs(t *testing.T) {
	s := newSite(t, sqliteURL(t))
	s.spawn()
	link, err := os.ReadFile(filepath.Join(s.dataDir(), "setup-url"))
	s.must(err)
	token := after(strings.TrimSpace(string(link)), "link=")
	first := s.visitor("x").fetch("GET", "/")
	if first.Status != http.StatusOK || !strings.Contains(first.Body, "setup-url") ||
		strings.Contains(first.Body, token) || strings.Contains(first.Body, s.dataDir()) {
		t.Errorf("%d\n%s", first.Status, first.Body)
	}
	s.person("admin@example.test", "--admin")
	if got := s.visitor("x").fetch("GET", "/"); got.Header.Get("Location") != "/login" {
		t.Errorf("with an administrator: %d %s", got.Status, got.Header.Get("Location"))
	}
}

// Rule: KEY-9
func TestRotatingAsksFirstAndTakesNoFreshKeyUnlessAtOnce(t *testing.T) {
	f := furnish(t, sqliteURL(t), nil)
	keys := func() int { return strings.Count(f.admin.fetch("GET", "/admin/keys").Body, ">RS256</td>") }
	before := keys()
	p, err := f.admin.open(f.URL + "/admin/keys/rotate")
	f.must(err)
	if !strings.Contains(p.Body, "The next key was published on ") || !strings.Contains(p.Body, `id="field-at_once"`) {
		t.Errorf("the question is\n%s", p.Body)
	}
	refused, err := f.admin.submit(p, "rotate-form", form())
	if f.must(err); refused.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(refused.Body, "error-at_once") || keys() > 2 {
		t.Errorf("a fresh key: %d, %d keys\n%s", refused.Status, keys(), refused.Body)
	}
	done, err := f.admin.submit(refused, "rotate-form", form("at_once", "on"))
	if f.must(err); done.At.Path != "/admin/keys" || keys() != 3 {
		t.Errorf("at once: %s, %d keys after %d", done.At, keys(), before)
	}
}

// Rule: FAPI-9
func TestAnAppIsTriedOutByItsOwnKeyInTheBrowser(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	s := start(t, sqliteURL(t), "DPOP_NONCES=on")
	s.person("dev@example.test")
	dev := s.signedIn("dev@example.test")
	b := newTab(t, browser, true)
	b.open(s.URL)
	b.signIn("dev@example.test")
	b.await("signout")
	for _, profile := range []string{"fapi-signed", "fapi"} {
		id, p := dev.registered("web", "connects", "fapi", "redirect_uris", callback)
		file := filepath.Join(t.TempDir(), "key.json")
		key := html.UnescapeString(inner(p.Body, "</", `id="revealed-private-key"`, ">"))
		s.must(os.WriteFile(file, []byte(key), 0o600))
		s.command("", "client", "update", id, "--profile", profile)
		b.open(s.URL + "/apps/" + id + "/try")
		b.await("own-begin")
		b.act("choosing the key", chromedp.SetUploadFiles(chromedp.ID("own-file"), []string{file}))
		b.click("own-begin")
		b.await("own-go")
		to, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.getElementById("own-go").href`))
		s.must(err)
		if query := must(url.Parse(to)).Query(); len(query) != 2 || query.Get("request_uri") == "" {
			t.Errorf("%s: the request is %s", profile, to)
		}
		ctx, end := chromedp.NewContext(b.whole) // another tab of this window
		defer end()
		other := &tab{TB: t, whole: ctx, closes: end}
		other.open(to)
		other.click("consent-allow")
		other.await("own-back")
		if said := b.text("own-answer"); !strings.Contains(said, `"token_type": "DPoP"`) {
			t.Errorf("%s: the token endpoint answers %s", profile, said)
		}
		if said := b.text("own-access_token"); !strings.Contains(said, `"jkt"`) {
			t.Errorf("%s: the access token is %s", profile, said)
		}
		if said := b.text("own-userinfo"); !strings.Contains(said, `"sub"`) {
			t.Errorf("%s: user info is %s", profile, said)
		}
	}
}

// Rule: FAPI-8
func TestAFAPIAppIsMadeInOneFormAndTriedOut(t *testing.T) {
	t.Parallel()
	s := start(t, sqliteURL(t))
	s.person("dev@example.test")
	dev := s.signedIn("dev@example.test")
	id, p := dev.registered("web", "connects", "fapi", "redirect_uris", callback)
	if !strings.Contains(p.Body, `id="revealed-private-key"`) || strings.Contains(p.Body, `id="revealed-client-secret"`) {
		t.Errorf("the page that shows the key:\n%s", p.Body)
	}
	own := `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k1","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`
	_, p = dev.registered("web", "connects", "fapi", "redirect_uris", callback, "jwks", own)
	if strings.Contains(p.Body, `id="revealed-private-key"`) {
		t.Error("a key was made though the app has one")
	}
	p, err := dev.open(s.URL + "/apps/new")
	s.must(err)
	p, err = dev.submit(p, "app-form", form("name", "F", "type", "spa", "connects", "fapi", "redirect_uris", callback))
	if err != nil || p.Status != http.StatusUnprocessableEntity {
		t.Errorf("one that keeps no key: %d %v", p.Status, err)
	}
	for _, profile := range []string{"fapi", "fapi-signed"} {
		s.command("", "client", "update", id, "--profile", profile)
		time.Sleep(time.Second) // until the server has noticed
		p, err := dev.open(s.URL + "/apps/" + id + "/try")
		s.must(err)
		p, err = dev.through(dev.submit(p, "try-form", form("scopes.openid", "on")))
		s.must(err)
		if !strings.Contains(p.Body, `id="tokens"`) {
			t.Errorf("%s: %s: %d\n%s", profile, p.At, p.Status, p.Body)
		}
	}
	var made struct {
		Private struct {
			D, X, Kid string
		} `json:"private_jwk"`
		Public struct {
			Keys []struct{ D, X, Kid string }
		} `json:"jwks"`
	}
	s.commandJSON(&made, "", "client", "create", "--name", "M", "--type", "service", "--profile", "fapi", "--scope",
		"data:read", "--make-key")
	if public := made.Public.Keys; len(public) != 1 || made.Private.D == "" || public[0].D != "" ||
		public[0].X != made.Private.X || public[0].Kid != made.Private.Kid {
		t.Errorf("made %+v", made)
	}
}
