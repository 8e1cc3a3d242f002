package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// deskRoute is one method of a path, as the route table has it.
type deskRoute struct{ method, template string }

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
	values := form("name", "App "+kind, "type", kind, "profile", "standard")
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

// Rule: PORTAL-1
func TestNobodyElseSeesAnApp(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("dev@example.test")
		s.person("other@example.test")
		s.person("admin@example.test", "--admin")
		dev := s.signedIn("dev@example.test")
		id, _ := dev.registered("service")
		p, err := dev.open(s.URL + "/apps/" + id)
		s.must(err)
		p, err = dev.submit(p, "create-account", form("name", "robot"))
		s.must(err)
		account, _, _ := strings.Cut(after(p.Body, `id="account-`), `"`)
		key := dev.fetch("POST", "/apps/"+id+"/service-accounts/"+account+"/keys")
		kid, _, _ := strings.Cut(after(key.Body, `id="revealed-key-id"`, ">"), "<")
		secret, _, _ := strings.Cut(after(p.Body, `id="secrets"`, `<ul class="rows">`, "<code>"), "<")
		paths := strings.NewReplacer("{clientId}", id, "{serviceAccountId}", account, "{keyId}", kid, "{secretId}", secret, "{guide}", "curl", "{userId}", "x")
		if account == "" || kid == "" || secret == "" {
			t.Fatalf("account %q, key %q, secret %q", account, kid, secret)
		}
		others := []*visitor{s.signedIn("other@example.test"), s.signedIn("admin@example.test")}
		for _, route := range routesBelow(t, "/apps/{clientId}") {
			path := paths.Replace(route.template)
			for _, somebody := range others {
				if got := somebody.fetch(route.method, path); got.Status != http.StatusNotFound || strings.Contains(got.Body, "App service") {
					t.Errorf("%s %s as %s: %d", route.method, route.template, somebody.email, got.Status)
				}
			}
		}
		got := dev.fetch("GET", "/apps/"+id)
		if got.Status != http.StatusOK || !strings.Contains(got.Body, account) || !strings.Contains(got.Body, kid) {
			t.Errorf("its owner sees %d", got.Status)
		}
	})
}

// Rule: ADMIN-1
func TestPagesOfAdministratorsAreForThemAlone(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("dev@example.test")
	s.person("admin@example.test", "--admin")
	dev, admin, stranger := s.signedIn("dev@example.test"), s.signedIn("admin@example.test"), s.visitor("x")
	for _, route := range routesBelow(t, "/admin/") {
		path := strings.NewReplacer("{userId}", "x", "{groupId}", "x", "{clientId}", "x", "{secretId}", "x").Replace(route.template)
		if got := dev.fetch(route.method, path); got.Status != http.StatusForbidden {
			t.Errorf("%s %s as a developer: %d", route.method, path, got.Status)
		}
		got := stranger.fetch(route.method, path)
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

// Rule: PORTAL-4
func TestFormsOfPagesTakeNothingFromOtherSites(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	admin := s.signedIn("admin@example.test")
	id, _ := admin.registered("web")
	for _, prefix := range []string{"/apps", "/admin", "/setup", "/password"} {
		for _, route := range routesBelow(t, prefix) {
			if route.method == "GET" {
				continue
			}
			path := strings.NewReplacer("{clientId}", id, "{userId}", "x", "{groupId}", "x", "{secretId}", "x", "{serviceAccountId}", "x", "{keyId}", "x").Replace(route.template)
			if got := admin.fetch(route.method, path, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"); got.Status != http.StatusForbidden || !strings.Contains(got.Body, "cross_origin") {
				t.Errorf("%s %s: %d\n%s", route.method, path, got.Status, got.Body)
			}
		}
	}
	if got := admin.fetch("GET", "/apps/"+id); got.Status != http.StatusOK {
		t.Errorf("the app is gone: %d", got.Status)
	}
}

// Rule: PORTAL-3
func TestThePortalNeverGivesScopesOfTheAdministrationAPI(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	admin := s.signedIn("admin@example.test") // not even an administrator gets them there
	id, _ := admin.registered("web", "scopes.account:read", "on", "scope", "account:write", "first_party", "on", "internal", "on")
	p, err := admin.open(s.URL + "/apps/" + id + "/edit")
	s.must(err)
	if strings.Contains(p.Body, ">account:") {
		t.Error("the form offers them")
	}
	_, err = admin.submit(p, "app-form", form("name", "App", "profile", "standard", "redirect_uris", callback, "scopes.openid", "on",
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

// Rule: PORTAL-7
func TestARefusedRequestIsOnTheAppsPageWithinASecond(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("dev@example.test")
		dev := s.signedIn("dev@example.test")
		id, created := dev.registered("web")
		secret, _, _ := strings.Cut(after(created.Body, `id="revealed-client-secret"`, ">"), "<")
		wrong := client{ID: id, Secret: "wrong", RedirectURIs: []string{callback + "/elsewhere"}}
		_, err := s.visitor("x").open(s.authorizeURL(wrong))
		s.must(err)
		s.token(wrong, "grant_type", "client_credentials")
		s.token(client{ID: id, Secret: secret}, "grant_type", "client_credentials", "scope", "data:write")
		deadline := time.Now().Add(patience)
		began := time.Now()
		for {
			body := dev.fetch("GET", "/apps/"+id).Body
			if strings.Contains(body, callback+"/elsewhere") && strings.Contains(body, "could not prove itself") && strings.Contains(body, "data:write") &&
				!strings.Contains(after(body, `id="secrets"`), "last used <span") {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("not there:\n%s", body)
			}
		}
		t.Logf("there after %s", time.Since(began))
	})
}

// Rule: PORTAL-13
func TestTextOfPeopleAndAppsIsNeverAProgramOnAPage(t *testing.T) {
	const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	s.command("", "user", "update", "admin@example.test", "--set", "name="+hostile, "--set", "company="+hostile, "--set", "about_me="+hostile)
	admin := s.signedIn("admin@example.test")
	id, _ := admin.registered("service", "name", hostile)
	p, err := admin.open(s.URL + "/apps/" + id)
	s.must(err)
	_, err = admin.submit(p, "create-account", form("name", hostile)) // is refused, and kept in the field
	s.must(err)
	p, err = admin.open(s.URL + "/admin/groups")
	s.must(err)
	group, err := admin.submit(p, "group-form", form("name", hostile, "description", hostile))
	s.must(err)
	users := admin.fetch("GET", "/admin/users")
	user, _, _ := strings.Cut(after(users.Body, `id="users"`, `href="/admin/users/`), `"`)
	s.token(client{ID: id, Secret: "x"}, "grant_type", "client_credentials", "scope", hostile)
	for _, path := range []string{
		"/", "/apps", "/apps/" + id, "/apps/" + id + "/edit", "/apps/" + id + "/delete", "/apps/" + id + "/try", "/apps/" + id + "/guides/curl",
		"/admin/users", "/admin/users?q=" + "%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/admin/users/" + user, "/admin/users/" + user + "/edit",
		"/admin/users/" + user + "/delete", "/admin/groups", group.At.Path, group.At.Path + "/delete", "/admin/apps", "/admin/apps/" + id,
		"/admin/audit", "/admin/audit?kind=%3Cscript%3Ealert(1)%3C%2Fscript%3E&since=%3Cscript%3E", "/admin/keys", "/admin/limits", "/admin/system",
	} {
		got := admin.fetch("GET", path)
		if got.Status >= http.StatusInternalServerError || strings.Contains(got.Body, "<script>alert") || strings.Contains(got.Body, "<img src=x") {
			t.Errorf("%s: %d\n%s", path, got.Status, got.Body)
		}
		if !strings.Contains(got.Header.Get("Content-Security-Policy"), "script-src 'self'") || len(got.Body) > 30_000 {
			t.Errorf("%s: %d bytes under %s", path, len(got.Body), got.Header.Get("Content-Security-Policy"))
		}
	}
}
