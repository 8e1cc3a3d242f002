package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// furnished is a site with one of everything that pages show. The administrator
// owns the apps.
type furnished struct {
	*site
	admin   *visitor
	adminID string
	web     map[string]string // path variables of a web app
	service map[string]string // of a server-to-server app with a service account
	reset   string            // path of a link to choose a password
}

// texts are what people and apps write, by field; plain ones where it is silent.
type texts map[string]string

func (x texts) of(field, plain string) string {
	if text, said := x[field]; said {
		return text
	}
	if _, hostile := x[everyText]; hostile {
		return fitting(field)
	}
	return plain
}

// everyText is the field of texts that stands for all that are not named: hostile ones.
const everyText = "*"

func furnish(t *testing.T, database string, x texts, settings ...string) *furnished {
	t.Helper()
	f := &furnished{site: start(t, database, append(settings, "SIGNUP=open")...)}
	f.adminID = f.person("admin@example.test", "--admin")
	for _, field := range []string{"name", "company", "about_me", "job_title", "address.locality"} {
		f.command("", "user", "update", "admin@example.test", "--set", field+"="+x.of("person."+field, "Plain"))
	}
	member := f.person("person@example.test")
	f.admin = f.visitor("admin@example.test")
	f.admin.http.Transport = agent{f.admin.http.Transport, x.of("person.device", "A browser")}
	_, err := f.admin.through(f.admin.open(f.URL + "/apps"))
	f.must(err)
	f.web = f.webApp(x, member)
	f.service = f.serviceApp(x, member)
	f.people(x)
	f.connected()
	f.filed(x)
	return f
}

// inner returns what stands behind the marks up to the next end.
func inner(text, end string, marks ...string) string {
	found, _, _ := strings.Cut(after(text, marks...), end)
	return found
}

func (f *furnished) webApp(x texts, member string) map[string]string {
	f.Helper()
	v := f.admin
	id, _ := v.registered("web", "name", x.of("app.name", "Site Planner"))
	edit, err := v.open(f.URL + "/apps/" + id + "/edit")
	f.must(err)
	_, err = v.submit(edit, "app-form", form("name", x.of("app.name", "Site Planner"), "profile", "standard",
		"redirect_uris", callback,
		"policy_uri", "https://app.example.test/privacy", "tos_uri", "https://app.example.test/terms", "scopes.openid",
		"on", "scopes.email", "on"))
	f.must(err)
	v.press("/admin/apps/"+id+"/members", "member", "person@example.test")
	v.press("/apps/"+id+"/members", "member", "nobody@example.test")
	v.press("/apps/"+id+"/members", "member", "dev@example.test")
	v.press("/apps/"+id+"/secrets", "label", x.of("secret.label", "A secret"))
	if got := v.upload("/apps/"+id+"/logo", "logo", picture(f)); got.Status != http.StatusSeeOther {
		f.Fatalf("the logo: %d\n%s", got.Status, got.Body)
	}
	refused := client{ID: id, Secret: "wrong", RedirectURIs: []string{x.of("request.redirect_uri", callback+"/elsewhere")}}
	_, err = f.visitor("x").open(f.authorizeURL(refused))
	f.must(err)
	f.token(refused, "grant_type", "client_credentials")
	refused.RedirectURIs[0] = callback
	_, err = f.visitor("x").open(f.authorizeURL(refused, "scope", "openid", "response_type",
		x.of("request.response_type", "token")))
	f.must(err)
	page := v.fetch("GET", "/apps/"+id).Body
	return map[string]string{
		"clientId": id, "secretId": inner(page, "<", `id="secrets"`, `<ul class="rows">`, "<code>"), "userId": member,
		"invitationId": inner(page, `"`, `id="withdraw-`),
		"guide":        "grafana", "logo": inner(page, `"`, "/logos/"),
	}
}

func (f *furnished) serviceApp(x texts, member string) map[string]string {
	f.Helper()
	v := f.admin
	id, created := v.registered("service", "name", x.of("app.name", "Nightly Import"))
	v.press("/admin/apps/"+id+"/members", "member", "person@example.test")
	v.press("/apps/"+id+"/members", "member", "dev@example.test")
	v.press("/apps/"+id+"/service-accounts", "name", "robot")
	page := v.fetch("GET", "/apps/"+id).Body
	account := inner(page, `"`, `id="account-`)
	key := v.press("/apps/" + id + "/service-accounts/" + account + "/keys")
	secret := inner(created.Body, "<", `id="revealed-client-secret"`, ">")
	f.token(client{ID: id, Secret: secret}, "grant_type", "client_credentials", "scope",
		x.of("request.scope", "data:write"))
	var hub struct{ ID string }
	f.commandJSON(&hub, "", "hub", "create", "--name", x.of("hub.name", "Example Works"))
	if got := v.press("/admin/apps/"+id+"/hubs", "hub", hub.ID, "level", "edit", "users",
		"none"); got.Status != http.StatusSeeOther {
		f.Fatalf("provisioning: %d\n%s", got.Status, got.Body)
	}
	return map[string]string{
		"clientId": id, "secretId": inner(page, "<", `id="secrets"`, `<ul class="rows">`, "<code>"),
		"serviceAccountId": account,
		"keyId":            inner(key.Body, "<", `id="revealed-key-id"`, ">"), "userId": member,
		"guide": "curl", "hubId": hub.ID,
	}
}

func (f *furnished) people(x texts) {
	f.Helper()
	v := f.admin
	groups, err := v.open(f.URL + "/admin/groups")
	f.must(err)
	group, err := v.submit(groups, "group-form",
		form("name", x.of("group.name", "Editors"), "description", x.of("group.description", "They edit.")))
	f.must(err)
	group, err = v.submit(group, "add-member", form("member", "person@example.test"))
	f.must(err)
	id := strings.TrimPrefix(group.At.Path, "/admin/groups/")
	event := inner(v.fetch("GET", "/admin/audit").Body, `"`, `id="events"`, `href="/admin/audit/`)
	sent := v.upload("/admin/users/import", "file", []byte("email\nsomebody@example.test\n"))
	imported := strings.TrimPrefix(sent.Header.Get("Location"), "/admin/users/import/")
	imported = strings.TrimSuffix(imported, "?done=read")
	v.press("/admin/upstreams", "id", "far", "preset", "oidc", "client_id", x.of("upstream.client", "portico"),
		"issuer", "https://127.0.0.1:1", "secret", "s")
	v.press("/admin/upstreams/far/disable")
	made := v.press("/admin/connections", "name", x.of("connection.name", "Works"), "group_prefix", "works ")
	connection, _, _ := strings.Cut(strings.TrimPrefix(made.Header.Get("Location"), "/admin/connections/"), "?")
	v.press("/admin/connections/"+connection+"/tokens", "label", x.of("connection.label", "first"))
	token := inner(v.fetch("GET", "/admin/connections/"+connection).Body, `"`, `id="end-`)
	v.press("/admin/directories", "id", "works", "kind", "openldap", "name", x.of("directory.name", "Works there"),
		"hosts", "ldaps://127.0.0.1:1", "base", "ou=people,dc=works,dc=test", "join", "sign-in")
	added := v.press("/admin/resources", "resource", "https://orders.example.test", "scope", "orders:read",
		"name", x.of("resource.name", "Orders"), "everyone", "on")
	resource, _, _ := strings.Cut(strings.TrimPrefix(added.Header.Get("Location"), "/admin/resources/"), "?")
	v.press("/admin/registrations", "label", x.of("initial.label", "team"))
	initial := inner(v.fetch("GET", "/admin/registrations").Body, `"`, `id="end-`)
	for _, variables := range []map[string]string{f.web, f.service} {
		variables["directoryId"], variables["resourceId"], variables["initialId"] = "works", resource, initial
		variables["connectionId"], variables["tokenId"] = connection, token
		v.press("/admin/apps/"+variables["clientId"]+"/access/users", "user", "person@example.test")
		variables["kind"], variables["memberId"] = "users", variables["userId"]
		variables["groupId"], variables["eventId"], variables["mailId"], variables["importId"] = id, event, "1", imported
		variables["providerId"] = "far"
		variables["sessionId"], variables["upstreamId"] = "none", "none"
		variables["passkeyId"] = "none" // one takes an authenticator: see the tests of passkeys
	}
	link := v.press("/admin/users/" + f.web["userId"] + "/reset")
	f.reset = "/password?" + inner(link.Body, "<", `id="revealed-link"`, "/password?")
}

// connected lets the web app act for the administrator, and a device of another.
func (f *furnished) connected() {
	f.Helper()
	id := f.web["clientId"]
	f.admin.code(client{ID: id, RedirectURIs: []string{callback}}, "scope", "openid") // so that there is more to ask for
	f.web["connectedId"], f.service["connectedId"] = id, id
	app := f.client("--redirect-uri", callback, "--scope", "openid email", "--devices")
	f.send(tokenPath, app, "grant_type", deviceGrant, "device_code", f.admin.allowsDevice(app, "openid email"))
	device := inner(f.admin.fetch("GET", connectedPath).Body, `"`, `name="device" value="`)
	f.web["deviceId"], f.service["deviceId"] = device, device
}

// at returns the paths that a route has here: with the web app, and with the
// service app where it is about an app. A variable without a value is a fault
// of furnish.
func (f *furnished) at(template string) []string {
	f.Helper()
	paths, known := map[string]bool{}, false
	var list []string
	for _, variables := range []map[string]string{f.web, f.service} {
		path := template
		for name, value := range variables {
			if value == "" {
				f.Fatalf("%s is empty", name)
			}
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
		}
		if !strings.Contains(path, "{") {
			known = true
			if !paths[path] {
				list = append(list, path)
			}
			paths[path] = true
		}
	}
	if !known {
		f.Fatalf("furnish has nothing for %s", template)
	}
	return list
}

// pageRoutes are the routes of pages for people.
func pageRoutes(t *testing.T) []deskRoute {
	t.Helper()
	var all []deskRoute
	for _, prefix := range []string{"/account/", "/apps", "/admin/", "/setup", "/password", "/files"} {
		for _, route := range routesBelow(t, prefix) {
			if !strings.Contains(route.template, "/v1/") { // those of the APIs are not for people
				all = append(all, route)
			}
		}
	}
	return all
}

// pages are the paths of every page, exports aside.
func (f *furnished) pages(t *testing.T) []string {
	t.Helper()
	all := []string{"/", "/login", "/sign-up", "/sign-up?sent=1", "/forgotten", "/forgotten?sent=1",
		"/address?sent=1", f.reset}
	for _, route := range pageRoutes(t) {
		if route.method != http.MethodGet || route.template == "/password" || strings.Contains(route.template, "/uploads/") {
			continue
		}
		for _, path := range f.at(route.template) {
			if strings.Contains(path, "/chosen/") {
				item := f.web["item_id"]
				path += "?of.i-" + item[strings.LastIndex(item, ":")+1:] + "=on&in=" + f.web["folder_id"]
			}
			got := f.admin.fetch("GET", path) // a form whose page is elsewhere leads there
			if got.Status != http.StatusSeeOther && strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
				all = append(all, path)
			}
		}
	}
	for _, guide := range []string{"curl", "go", "node", "python", "gitea", "oauth2-proxy", "apache", "minio"} {
		all = append(all, "/apps/"+f.web["clientId"]+"/guides/"+guide)
	}
	return all
}

// upload sends a form with one file, as the person's browser does.
func (v *visitor) upload(path, field string, file []byte) answer {
	v.Helper()
	return v.uploadAs("logo.png", path, field, file)
}

// uploadAs is upload of a file with the name.
func (v *visitor) uploadAs(name, path, field string, file []byte) answer {
	v.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile(field, name)
	v.must(err)
	_, err = part.Write(file)
	v.must(err)
	v.must(w.Close())
	r, err := http.NewRequest(http.MethodPost, v.URL+path, &body)
	v.must(err)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	got, err := try(v.http, r)
	v.must(err)
	return got
}

// picture is a PNG of a disc.
func picture(t testing.TB) []byte {
	t.Helper()
	p := image.NewNRGBA(image.Rect(0, 0, 120, 120))
	for x := range 120 {
		for y := range 120 {
			if (x-60)*(x-60)+(y-60)*(y-60) < 3400 {
				p.Set(x, y, color.NRGBA{R: 42, G: byte(90 + x), B: byte(120 + y), A: 255})
			}
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// agent says which browser sends a request.
type agent struct {
	http.RoundTripper
	name string
}

// RoundTrip implements http.RoundTripper.
func (a agent) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", a.name)
	return a.RoundTripper.RoundTrip(r)
}
