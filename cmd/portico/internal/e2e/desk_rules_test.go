package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// deskRoute is one method of a path, as the route table has it.
type deskRoute struct{ method, template string }

// tokenless are the templates of routes that have no scope in the route table, or
// take a link instead.
func tokenless(t *testing.T) []string {
	t.Helper()
	table, err := os.ReadFile("../app/testdata/routes.golden")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	template := ""
	for line := range strings.Lines(string(table)) {
		if !strings.HasPrefix(line, " ") {
			template, _, _ = strings.Cut(line, ": ")
		} else if len(strings.Fields(line)) == 1 || strings.Contains(line, "link") {
			all = append(all, template)
		}
	}
	return all
}

// routesBelow reads the route table.
func routesBelow(t *testing.T, prefix string) []deskRoute {
	t.Helper()
	table, err := os.ReadFile("../app/testdata/routes.golden")
	if err != nil {
		t.Fatal(err)
	}
	var all []deskRoute
	template := ""
	for line := range strings.Lines(string(table)) {
		if !strings.HasPrefix(line, " ") {
			template, _, _ = strings.Cut(line, ": ")
			continue
		}
		if strings.HasPrefix(template, prefix) {
			all = append(all, deskRoute{strings.Fields(line)[0], template})
		}
	}
	if len(all) == 0 {
		t.Fatalf("no routes below %s", prefix)
	}
	return all
}

// send does one request in the person's name without following where it leads.
func (v *visitor) fetch(method, path string, header ...string) answer {
	v.Helper()
	r, err := http.NewRequest(method, v.URL+path, nil)
	v.must(err)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	got, err := try(v.http, r)
	v.must(err)
	return got
}

// signedIn is a visitor who has signed in.
func (s *site) signedIn(email string) *visitor {
	s.Helper()
	v := s.visitor(email)
	v.password = password
	p, err := v.through(v.open(s.URL + "/apps"))
	s.must(err)
	if p.At.Path != "/apps" || p.Status != http.StatusOK {
		s.Fatalf("%s is at %s, status %d", email, p.At, p.Status)
	}
	return v
}

// registered is an app that the visitor registered in the portal.
func (v *visitor) registered(kind string, pairs ...string) (id string, p page) {
	v.Helper()
	p, err := v.open(v.URL + "/apps/new")
	v.must(err)
	values := form("name", "App "+kind, "type", kind, "connects", "own")
	if kind != "service" {
		values.Set("redirect_uris", callback)
	}
	for name, value := range form(pairs...) {
		values[name] = value
	}
	p, err = v.submit(p, "app-form", values)
	v.must(err)
	id, _, _ = strings.Cut(after(p.Body, `id="revealed-client-id"`, ">"), "<")
	if id == "" {
		id, _, _ = strings.Cut(after(p.Body, `id="client-id"`, ">"), "<")
	}
	if id == "" {
		id, _, _ = strings.Cut(strings.TrimPrefix(p.At.Path, "/apps/"), "/guides/")
	}
	if p.Status != http.StatusOK || id == "" {
		v.Fatalf("registering: status %d\n%s", p.Status, p.Body)
	}
	return id, p
}

// after returns what follows the marks, found one after the other.
func after(text string, marks ...string) string {
	for _, mark := range marks {
		_, text, _ = strings.Cut(text, mark)
	}
	return text
}

// Rule: ADMIN-1
func TestPagesOfAdministratorsAreForThemAlone(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("dev@example.test")
	s.person("admin@example.test", "--admin")
	dev, admin, stranger := s.signedIn("dev@example.test"), s.signedIn("admin@example.test"), s.visitor("x")
	for _, route := range pageRoutes(t) {
		if !strings.HasPrefix(route.template, "/admin/") {
			continue
		}
		path := variables.ReplaceAllString(route.template, "x")
		want := http.StatusForbidden
		if strings.HasSuffix(route.template, "/audit/{eventId}") {
			want = http.StatusNotFound // to them there is no such thing
		}
		got := dev.fetch(route.method, path)
		if got.Status == http.StatusSeeOther && strings.HasPrefix(path, got.Header.Get("Location")+"/") {
			continue // leads to its page, which is in this list
		}
		if got.Status != want {
			t.Errorf("%s %s as a developer: %d", route.method, path, got.Status)
		}
		got = stranger.fetch(route.method, path)
		if got.Status != http.StatusSeeOther && got.Status != http.StatusForbidden && got.Status != http.StatusUnauthorized {
			t.Errorf("%s %s as nobody: %d", route.method, path, got.Status)
		}
		if route.method == "GET" && !strings.Contains(route.template, "{") {
			if got := admin.fetch(route.method, path); got.Status != http.StatusOK {
				t.Errorf("%s %s as an administrator: %d\n%s", route.method, path, got.Status, got.Body)
			}
		}
	}
}

// Rule: PORTAL-3
func TestThePortalNeverGivesScopesOfTheAdministrationAPI(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	admin := s.signedIn("admin@example.test") // not even an administrator gets them there
	id, _ := admin.registered("web", "scopes.account:read", "on", "scope", "account:write", "first_party",
		"on", "internal", "on")
	p, err := admin.open(s.URL + "/apps/" + id + "/edit")
	s.must(err)
	if strings.Contains(p.Body, "scopes.account:") {
		t.Error("the form offers them")
	}
	_, err = admin.submit(p, "app-form", form("name", "App", "profile", "standard", "redirect_uris",
		callback, "scopes.openid", "on",
		"scopes.account:read", "on", "scopes.account:write", "on", "first_party", "on", "internal", "on"))
	s.must(err)
	var registered struct {
		Scope      string
		FirstParty bool `json:"first_party"`
		Internal   bool
	}
	s.commandJSON(&registered, "", "client", "show", id)
	if registered.Scope != "openid" || registered.FirstParty || registered.Internal {
		t.Errorf("the portal gave %+v", registered)
	}
	p, err = admin.open(s.URL + "/admin/apps/" + id)
	s.must(err)
	_, err = admin.submit(p, "flags-form", form("scopes.account:read", "on", "first_party", "on"))
	s.must(err)
	s.commandJSON(&registered, "", "client", "show", id)
	if registered.Scope != "openid account:read" || !registered.FirstParty || registered.Internal {
		t.Errorf("an administrator gave %+v", registered)
	}
}

// Rules: IDTOKEN-8, TOKEN-30, PROOF-5, PAR-4, JAR-4, DPOP-9, MTLS-4
func TestWhatTokensOfAnAppAreLikeIsChosenOnItsPage(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	admin := s.signedIn("admin@example.test")
	id, _ := admin.registered("web")
	for _, on := range []bool{true, false} {
		p, err := admin.open(s.URL + "/apps/" + id + "/edit")
		s.must(err)
		values := form("name", "App", "profile", "standard", "redirect_uris", callback, "scopes.openid", "on")
		if on {
			values.Set("lean_id_token", "on")
			values.Set("plain_jwt", "on")
			for _, field := range []string{"require_pushed_authorization_requests", "require_signed_request_object",
				"dpop_bound_access_tokens", "tls_client_certificate_bound_access_tokens"} {
				values.Set(field, "on")
			}
			values.Set("tls_client_auth_subject_dn", "san_dns=app.example.test")
			values.Set("access_token_signed_response_alg", "ES256")
			values.Set("token_endpoint_auth_method", "private_key_jwt")
			values.Set("jwks", `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k1","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`)
		}
		_, err = admin.submit(p, "app-form", values)
		s.must(err)
		var shown struct {
			LeanIDToken bool   `json:"lean_id_token"`
			PlainJWT    bool   `json:"plain_jwt"`
			Pushed      bool   `json:"require_pushed_authorization_requests"`
			Requests    bool   `json:"require_signed_request_object"`
			Proof       bool   `json:"dpop_bound_access_tokens"`
			Certificate bool   `json:"tls_client_certificate_bound_access_tokens"`
			Name        string `json:"tls_client_auth_san_dns"`
			Signed      string `json:"access_token_signed_response_alg"`
			Method      string `json:"token_endpoint_auth_method"`
		}
		s.commandJSON(&shown, "", "client", "show", id)
		if shown.LeanIDToken != on || shown.PlainJWT != on || shown.Pushed != on ||
			shown.Requests != on || shown.Proof != on || shown.Certificate != on || (shown.Name != "") != on ||
			shown.Signed != map[bool]string{true: "ES256", false: "RS256"}[on] ||
			shown.Method != map[bool]string{true: "private_key_jwt", false: "client_secret_basic"}[on] {
			t.Errorf("chosen %v, kept %+v", on, shown)
		}
	}
}
