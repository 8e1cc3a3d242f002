package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// Rule: FED-22
func TestUpstreamsAreLookedAfterByProgramAndOnPages(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("admin@example.test", "--admin")
		s.person("person@example.test")
		tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
		access := s.visitor("admin@example.test").withPassword().tokens(tool, "scope",
			"openid account:read account:write").text("access_token")
		api := func(status int, method, path, body string) answer {
			t.Helper()
			got := s.api(access, method, "/upstreams"+path, body)
			if got.Status != status || strings.Contains(got.Body, "hush-hush") {
				t.Fatalf("%s %s: %d %s, want %d", method, path, got.Status, got.Body, status)
			}
			return got
		}
		api(201, "POST", "", `{"id":"works","preset":"oidc","secret":"hush-hush","domains":["works.test"],`+
			`"config":{"issuer":"`+s.URL+`","client_id":"portico","networks":["127.0.0.0/8"],"trust_email":true}}`)
		api(409, "POST", "", `{"id":"works","preset":"oidc","config":{"issuer":"https://x.test","client_id":"c"}}`)
		refused := api(422, "POST", "", `{"id":"NO","preset":"oidc"}`)
		for _, field := range []string{`"id"`, `"issuer"`, `"client_id"`} { // all at once
			if !strings.Contains(refused.Body, `"field":`+field) {
				t.Errorf("nothing is said of %s: %s", field, refused.Body)
			}
		}
		api(422, "PATCH", "/works", `{"config":{"client_id":""}}`)
		api(409, "PATCH", "/works", `{"config":{"issuer":"https://evil.test"}}`)
		got := api(200, "PATCH", "/works", `{"name":"Works","position":2,`+
			`"config":{"join":"open","scopes":["openid","email"]}}`)
		for _, want := range []string{`"name":"Works"`, `"position":2`, `"scopes":["openid","email"]`, `"has_secret":true`,
			`"domains":["works.test"]`, `"trust_email":true`} {
			if !strings.Contains(got.Body, want) {
				t.Errorf("no %s in %s", want, got.Body)
			}
		}
		if got := api(200, "POST", "/works/test", ""); strings.Count(got.Body, `"ok":true`) != 2 ||
			!strings.Contains(got.Body, "invalid_client") {
			t.Errorf("the test of ourselves, where we are no client: %s", got.Body)
		}
		group := s.api(access, "POST", "/groups", `{"name":"Engineering"}`).text("id")
		api(200, "PUT", "/works/groups", `{"items":[{"external":"eng","group_id":"`+group+`"}]}`)
		if got := api(200, "GET", "/works/groups", ""); !strings.Contains(got.Body, group) {
			t.Errorf("groups: %s", got.Body)
		}
		api(404, "PUT", "/works/groups", `{"items":[{"external":"eng","group_id":"none"}]}`)
		api(404, "GET", "/none/groups", "")
		s.upstreamPages()
		api(200, "PATCH", "/works", `{"disabled":true}`)
		api(200, "GET", "", "")
		api(204, "DELETE", "/works", "")
		api(404, "GET", "/works", "")
		api(404, "PATCH", "/works", `{"name":"x"}`)
		api(404, "POST", "/works/test", "")
		api(404, "DELETE", "/works", "")
		if got := s.signedIn("person@example.test").fetch("GET", "/admin/upstreams"); got.Status != http.StatusForbidden {
			t.Errorf("the page for everybody: %d", got.Status)
		}
	})
}

// upstreamPages looks at the same on pages, and tries what fails.
func (s *site) upstreamPages() {
	s.Helper()
	admin := s.signedIn("admin@example.test")
	for path, want := range map[string]string{
		"/admin/upstreams": "Works", "/admin/upstreams/works": "/login/upstream/works/callback",
		"/admin/upstreams/works/test": "passed",
	} {
		if got := admin.fetch("GET", path); !strings.Contains(got.Body, want) || strings.Contains(got.Body, "hush-hush") {
			s.Errorf("%s does not say %q, or too much:\n%s", path, want, got.Body)
		}
	}
	if got := admin.press("/admin/upstreams", "id", "far", "preset", "google", "client_id", "c",
		"secret", "hush-hush"); got.Status != http.StatusSeeOther {
		s.Errorf("a preset: %d\n%s", got.Status, got.Body)
	}
	for _, refused := range [][]string{{"/admin/upstreams", "id", "NO", "preset", "oidc"},
		{"/admin/directories", "id", "NO", "kind", "ad"}, {"/admin/upstreams/far", "issuer", "none"}} {
		got := admin.press(refused[0], append(refused[1:], "secret", "hush-hush")...)
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, `id="error-secret"`) ||
			strings.Contains(got.Body, "hush-hush") {
			s.Errorf("nothing that is right at %s: %d\n%s", refused[0], got.Status, got.Body)
		}
	}
	page, err := admin.open(s.URL + "/admin/upstreams/far")
	s.must(err)
	page, err = admin.submit(page, "upstream-form",
		form("name", "Far away", "client_id", "c", "issuer", "https://127.0.0.1:1",
			"secret", "hush-hush"))
	s.must(err)
	if page.At.Query().Get("done") != "edited" {
		s.Errorf("edited: on %s: %s", page.At, inner(page.Body, "</form>", `id="form-errors"`))
	}
	if got := admin.fetch("GET", "/admin/upstreams/far/test"); !strings.Contains(got.Body, "failed") {
		s.Errorf("the test of an address that may not be called:\n%s", got.Body)
	}
}

// What docs/upstreams.md says of another Portico, and no more: an app there as it is registered
// without a word of scopes.
//
// Rule: FED-22
func TestAnotherPorticoIsAnUpstreamByItsAddressAndAnAppThere(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		here, at := start(t, database), freeport.Address(t)
		works := start(t, sqliteURL(t), "LISTEN="+at, "BASE_URL=http://"+at)
		works.person("one@works.test")
		app := works.client("--profile", "platform", "--redirect-uri", here.URL+"/login/upstream/works/callback")
		secret := filepath.Join(t.TempDir(), "secret")
		here.must(os.WriteFile(secret, []byte(app.Secret), 0o600))
		here.command("", "upstream", "create", "works", "--preset", "portico", "--secret-file", secret,
			"issuer="+works.URL, "client_id="+app.ID, "networks=127.0.0.0/8", "join=open")
		one := here.visitor("one@works.test")
		one.goes = []string{works.URL + "/"}
		if p, err := one.through(one.open(here.URL + "/login/upstream/works")); err != nil || p.At.String() != here.URL+"/" {
			t.Errorf("%v, at %s: %s", err, p.At, p.Body)
		}
	})
}
