package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// namesIn returns the names of what a list holds.
func namesIn(a answer) []string {
	var body struct {
		Items []struct{ Name string }
	}
	_ = json.Unmarshal([]byte(a.Body), &body)
	var names []string
	for _, item := range body.Items {
		names = append(names, item.Name)
	}
	return names
}

// data reads from the data API.
func (e *estate) data(who, path string) answer {
	e.Helper()
	r, err := http.NewRequest(http.MethodGet, e.URL+e.fill(path), nil)
	e.must(err)
	r.Header.Set("Authorization", "Bearer "+e.tokens[who])
	got, err := try(e.plain, r)
	e.must(err)
	return got
}

// Rule: ADMIN-10
func TestWhatAdministratorsMakeIsThereForTheDataAPIAtOnce(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		e := newEstate(t, database)
		see := func(who, path string, status int, text string) {
			t.Helper()
			if got := e.data(who, path); got.Status != status || !strings.Contains(got.Body, text) {
				t.Errorf("%s: %s: %d %s, want %d with %s", who, path, got.Status, got.Body, status, text)
			}
		}
		const hub, project = "/project/v1/hubs/{hub}", "/project/v1/hubs/{hub}/projects/{project}"
		const folder, contents = "/data/v1/projects/{project}/folders/{files}",
			"/data/v1/projects/{project}/folders/{files}/contents"
		e.tokens["app"] = e.token(e.tool, "grant_type", "client_credentials", "scope", "data:read").text("access_token")
		see("member", hub, 403, "APP_NOT_PROVISIONED")
		e.done(200, "PUT", "/hubs/{hub}/apps/{client}", `{"level":"view"}`)
		see("app", hub, 200, "Main Hub")
		see("member", project, 200, "Tower")
		see("member", folder, 200, "Project Files")

		see("outsider", hub, 404, "")
		e.done(201, "POST", "/projects/{project}/members", `{"user":"outsider@example.test"}`)
		see("outsider", project, 200, "Tower")
		see("outsider", contents, 403, "NO_PERMISSION")
		e.done(204, "PUT", "/hubs/{hub}/groups/{group}/members/"+e.users["outsider"], "")
		e.done(200, "PUT", "/projects/{project}/folders/{files}/grants/groups/{group}", `{"level":"view"}`)
		see("outsider", contents, 200, "")
		why := e.done(200, "GET", "/projects/{project}/folders/{files}/effective?user=outsider@example.test", "")
		if why.text("level") != "view" || !strings.Contains(why.Body, `"because":"group"`) {
			t.Errorf("why: %s", why.Body)
		}
		e.done(204, "DELETE", "/projects/{project}/folders/{files}/grants/groups/{group}", "")
		see("outsider", contents, 403, "NO_PERMISSION")

		e.reserve()
		see("member", "/data/v1/projects/{project}/items/{item}", 200, `"reserved":true`)
		if held := e.done(200, "GET", "/projects/{project}/reservations",
			""); !strings.Contains(held.Body, e.users["member"]) {
			t.Errorf("reservations: %s", held.Body)
		}
		e.done(204, "DELETE", "/projects/{project}/reservations/{item}", "")
		see("member", "/data/v1/projects/{project}/items/{item}", 200, `"reserved":false`)
		e.done(409, "DELETE", "/projects/{project}/reservations/{item}", "")
		e.reserve()
		var held struct{ Reservations []struct{ ID string } }
		e.commandJSON(&held, "", "reservation", "list", "--project", e.names["project"])
		if len(held.Reservations) != 1 || url.PathEscape(held.Reservations[0].ID) != e.names["item"] {
			t.Fatalf("reservations on the command line: %+v, item %s", held, e.names["item"])
		}
		var broken struct{ ID string }
		e.commandJSON(&broken, "", "reservation", "break", held.Reservations[0].ID, "--project", e.names["project"])
		see("member", "/data/v1/projects/{project}/items/{item}", 200, `"reserved":false`)
		if broken.ID != held.Reservations[0].ID {
			t.Errorf("%q is broken", broken.ID)
		}

		e.done(200, "PATCH", "/projects/{project}", `{"name":"Bridge"}`)
		see("member", project, 200, "Bridge")
		e.done(200, "PATCH", "/projects/{project}", `{"active":false}`)
		see("member", project, 400, "PROJECT_INACTIVE")
		e.done(200, "PATCH", "/projects/{project}", `{"active":true}`)
		e.done(200, "PATCH", "/hubs/{hub}", `{"active":false}`)
		see("member", hub, 404, "")
		e.done(200, "PATCH", "/hubs/{hub}", `{"active":true,"name":"Renamed Hub"}`)
		see("member", hub, 200, "Renamed Hub")
		e.done(204, "DELETE", "/hubs/{hub}/members/"+e.users["member"], "")
		see("member", hub, 404, "")
		e.done(204, "DELETE", "/hubs/{hub}/apps/{client}", "")
		see("app", hub, 403, "APP_NOT_PROVISIONED")
	})
}

// Rule: ADMIN-11
func TestAnUnknownAddressBecomesAnInvitationOfAServerAdministratorsAlone(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		e := newEstate(t, database)
		const body = `{"user":"new@example.test","role":"admin"}`
		e.command("", "user", "create", "--email", "unproven@example.test", "--name", "Unproven")
		for _, address := range []string{"new@example.test", "unproven@example.test"} {
			got := e.as("hub-admin", "POST", "/hubs/{hub}/members", `{"user":"`+address+`"}`)
			if got.Status != http.StatusNotFound || got.text("code") != "user_absent" ||
				!strings.Contains(got.Body, "can invite them") {
				t.Errorf("a hub admin adds %s: %d %s", address, got.Status, got.Body)
			}
		}
		e.done(409, "POST", "/hubs/{hub}/members", `{"user":"unproven@example.test"}`)
		e.done(422, "POST", "/hubs/{hub}/members", `{"user":"@"}`)
		made := e.done(201, "POST", "/hubs/{hub}/members", body)
		var member struct {
			ID, Role   string
			Invitation struct{ URL string }
		}
		e.must(json.Unmarshal([]byte(made.Body), &member))
		if member.Role != "admin" || !strings.HasPrefix(member.Invitation.URL, e.URL+"/password?link=") {
			t.Errorf("the invitation: %s", made.Body)
		}
		p, err := e.visitor("new@example.test").open(member.Invitation.URL)
		e.must(err)
		if p.Status != http.StatusOK || !strings.Contains(p.Body, "new@example.test") {
			t.Errorf("the link leads to %d %s", p.Status, p.Body)
		}
		e.done(409, "POST", "/hubs/{hub}/members", body)
	})
}

// Rules: ADMIN-9, ADMIN-12
func TestWhoAdministersLessDoesLess(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		e := newEstate(t, database)
		try := func(who string, status int, method, path, body string) answer {
			t.Helper()
			got := e.as(who, method, path, body)
			if got.Status != status {
				t.Errorf("%s: %s %s: %d %s, want %d", who, method, path, got.Status, got.Body, status)
			}
			return got
		}
		const grants = "/projects/{project}/folders/{files}/grants/users/"
		e.reserve()
		try("project-admin", 403, "PATCH", "/projects/{project}", `{"active":false}`)
		try("hub-admin", 200, "PATCH", "/projects/{project}", `{"active":false}`)
		try("project-admin", 404, "GET", "/projects/{project}", "")
		try("controller", 404, "GET", "/projects/{project}/folders/{files}/grants", "")
		try("hub-admin", 200, "PATCH", "/projects/{project}", `{"active":true}`)
		try("project-admin", 200, "PATCH", "/projects/{project}", `{"archived":true}`)
		try("project-admin", 423, "DELETE", "/projects/{project}/reservations/{item}", "")
		try("project-admin", 200, "PATCH", "/projects/{project}", `{"archived":false}`)

		try("controller", 404, "PUT", grants+e.users["outsider"], `{"level":"view"}`)
		try("controller", 200, "PUT", grants+e.users["project-admin"], `{"level":"view"}`)
		try("project-admin", 200, "PUT", grants+e.users["outsider"], `{"level":"view"}`)
		try("controller", 404, "GET", "/projects/{project}/folders/{root}/grants", "")
		e.done(200, "PUT", "/projects/{project}/folders/{root}/grants/users/"+e.users["known"], `{"level":"view"}`)
		const effective = "/projects/{project}/folders/{files}/effective?user={known}"
		if got := try("controller", 200, "GET", effective, ""); strings.Contains(got.Body, "folder") {
			t.Errorf("the folder above is told: %s", got.Body)
		}
		if got := try("project-admin", 200, "GET", effective, ""); !strings.Contains(got.Body, "folder_name") {
			t.Errorf("the folder above is not told: %s", got.Body)
		}
		e.command("", "user", "disable", "hub-admin@example.test", "--force")
		if got := e.as("hub-admin", "GET", "/hubs/{hub}", ""); got.Status != http.StatusUnauthorized {
			t.Errorf("a disabled administrator: %d %s", got.Status, got.Body)
		}
	})
}

// Rules: ADMIN-2, ADMIN-9
func TestAnAdministratorOfAHubCallsWithASession(t *testing.T) {
	e := newEstate(t, sqliteURL(t))
	for who, want := range map[string]int{"hub-admin": 200, "other-admin": 404, "member": 404} {
		v := e.signedIn(who + "@example.test")
		if got := v.fetch("GET", e.fill("/admin/v1/hubs/{hub}")); got.Status != want {
			t.Errorf("%s: %d %s", who, got.Status, got.Body)
		}
		if who != "hub-admin" {
			continue
		}
		group := e.fill("/admin/v1/hubs/{hub}/groups/{group}")
		if got := v.fetch("DELETE", group, "Sec-Fetch-Site", "cross-site"); got.Status != http.StatusForbidden {
			t.Errorf("another site uses the session: %d %s", got.Status, got.Body)
		}
		if got := v.fetch("DELETE", group, "Sec-Fetch-Site", "same-origin"); got.Status != http.StatusNoContent {
			t.Errorf("the session's own site: %d %s", got.Status, got.Body)
		}
	}
}

// Rule: ADMIN-8
func TestEveryFieldThatIsWrongIsNamed(t *testing.T) {
	e := newEstate(t, sqliteURL(t))
	e.names["long"] = strings.Repeat("x", 256)
	for _, c := range []struct {
		status             int
		method, path, body string
		field              string
	}{
		{422, "POST", "/hubs", `{"name":" "}`, "name"},
		{422, "POST", "/hubs", `{"name":"X","region":"MOON"}`, "region"},
		{422, "PATCH", "/hubs/{hub}", `{"name":""}`, "name"},
		{422, "PATCH", "/hubs/{hub}", `{"region":""}`, "region"},
		{400, "PATCH", "/hubs/{hub}", `{"active":"yes"}`, "/active"},
		{422, "POST", "/hubs/{hub}/groups", `{"name":"{long}"}`, "name"},
		{409, "POST", "/hubs/{hub}/groups", `{"name":"ENGINEERS"}`, "name"},
		{422, "PATCH", "/hubs/{hub}/groups/{group}", `{"name":""}`, "name"},
		{404, "PUT", "/hubs/{hub}/groups/{group}/members/NOBODY", "", "user"},
		{404, "PUT", "/hubs/{hub}/members/NOBODY", `{}`, "user"},
		{422, "PUT", "/hubs/{hub}/members/{known}", `{"role":"owner"}`, "role"},
		{404, "PUT", "/hubs/{hub}/apps/NOBODY", `{}`, "client"},
		{422, "PUT", "/hubs/{hub}/apps/{client}", `{"level":"none"}`, "level"},
		{422, "PUT", "/hubs/{hub}/apps/{client}", `{"users":"some"}`, "users"},
		{422, "PUT", "/hubs/{hub}/apps/{client}", `{"users":"listed"}`, "users"},
		{404, "PUT", "/hubs/{hub}/apps/{client}", `{"user_ids":["NOBODY"]}`, "user"},
		{422, "POST", "/hubs/{hub}/projects", `{}`, "name"},
		{422, "POST", "/projects/{project}/purge", `{"hidden_days":29}`, "hidden_days"},
		{422, "GET", "/projects/{project}/folders/nonsense/grants", "", "folder"},
		{422, "DELETE", "/projects/{project}/reservations/nonsense", "", "item"},
		{404, "PUT", "/projects/{project}/folders/{files}/grants/groups/NOBODY", `{"level":"view"}`, "group"},
		{422, "PUT", "/projects/{project}/folders/{files}/grants/users/{known}", `{"level":"own"}`, "level"},
		{400, "GET", "/projects/{project}/folders/{files}/effective", "", "user"},
		{400, "GET", "/hubs/{hub}/members?limit=0", "", "limit"},
		{422, "GET", "/projects/{project}/events?kind=folder", "", "kind"},
		{422, "GET", "/projects/{project}/events?subject=urn:portico:nothing:x", "", "subject"},
		{422, "GET", "/projects/{project}/events?after=x", "", "after"},
		{422, "GET", "/hubs/{hub}/events?kind=Hub.", "", "kind"},
		{422, "GET", "/hubs/{hub}/events?after=x", "", "after"},
		{400, "GET", "/hubs/{hub}/events?limit=201", "", "limit"},
		{422, "POST", "/projects/{project}/webhooks", `{"url":"ftp://example.test"}`, "url"},
		{422, "POST", "/projects/{project}/webhooks", `{"url":"https://example.test","events":["dm.x"]}`, "events"},
		{422, "POST", "/projects/{project}/webhooks", `{"url":"https://example.test","secret":"short"}`, "secret"},
		{422, "POST", "/projects/{project}/webhooks", `{"url":"https://example.test","folder":"nonsense"}`, "folder"},
		{404, "POST", "/projects/{project}/webhooks",
			`{"url":"https://example.test","folder":"urn:portico:fs.folder:co.AAAAAAAAAAAAAAAAAAAAAA"}`, "folder"},
	} {
		got := e.as("root", c.method, c.path, c.body)
		var problem struct{ Errors []struct{ Field string } }
		_ = json.Unmarshal([]byte(got.Body), &problem)
		if got.Status != c.status || len(problem.Errors) != 1 || problem.Errors[0].Field != c.field {
			t.Errorf("%s %s %s: %d %s", c.method, c.path, c.body, got.Status, got.Body)
		}
	}
}
