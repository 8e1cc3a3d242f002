package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// Rule: ACCESS-4
func TestAdministratorsSayForWhomAnAppIs(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	userID := s.person("person@example.test")
	s.person("dev@example.test")
	admin, dev := s.signedIn("admin@example.test"), s.signedIn("dev@example.test")
	id, _ := dev.registered("web")
	tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
	token := admin.tokens(tool, "scope", "openid account:read account:write").text("access_token")
	group := s.api(token, "POST", "/groups", `{"name":"Editors"}`).text("id")
	page := func() string { return admin.fetch("GET", "/admin/apps/"+id+"/access").Body }

	admin.press("/admin/apps/"+id+"/access", "restricted", "listed")
	admin.press("/admin/apps/"+id+"/access/groups", "group", "editors")
	admin.press("/admin/apps/"+id+"/access/users", "user", "person@example.test")
	if got := s.api(token, "GET", "/apps/"+id+"/access", ""); !strings.Contains(got.Body, group) ||
		!strings.Contains(got.Body, userID) {
		t.Errorf("the API lists %s", got.Body)
	}
	if got := s.api(token, "GET", "/apps/"+id, ""); !strings.Contains(got.Body, `"restricted":true`) {
		t.Errorf("the API tells of the app %s", got.Body)
	}
	for _, path := range []string{"/access/groups/" + group, "/access/users/" + userID} {
		for _, method := range []string{"PUT", "DELETE", "PUT"} {
			if got := s.api(token, method, "/apps/"+id+path, ""); got.Status != http.StatusNoContent {
				t.Errorf("%s %s: %d %s", method, path, got.Status, got.Body)
			}
		}
		if got := s.api(token, "PUT", "/apps/"+id+path+"x", ""); got.Status != http.StatusNotFound {
			t.Errorf("an unknown one: %d %s", got.Status, got.Body)
		}
	}
	if listed := page(); !strings.Contains(listed, "Editors") || !strings.Contains(listed, "person@example.test") {
		t.Errorf("the page lists\n%s", listed)
	}
	admin.press("/admin/apps/" + id + "/access/groups/" + group + "/remove")
	s.command("", "client", "disallow", id, "--user", "person@example.test")
	if listed := page(); strings.Contains(listed, "Editors") || strings.Contains(listed, "person@example.test") {
		t.Errorf("the page still lists\n%s", listed)
	}
	for _, field := range []string{"group", "user"} {
		got := admin.press("/admin/apps/"+id+"/access/"+field+"s", field, "nobody <b>")
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "nobody &lt;b&gt;") {
			t.Errorf("a %s that is not there: %d\n%s", field, got.Status, got.Body)
		}
	}

	s.command("", "client", "allow", id, "--user", "person@example.test")
	if own := dev.fetch("GET", "/apps/"+id).Body; strings.Contains(own, "person@") ||
		!strings.Contains(own, "Only for people whom an administrator has named") {
		t.Errorf("whoever manages the app sees\n%s", own)
	}
	for _, path := range []string{"", "/groups", "/users", "/users/" + userID + "/remove"} {
		if got := dev.press("/admin/apps/"+id+"/access"+path, "restricted", "everybody"); got.Status != http.StatusForbidden {
			t.Errorf("who is no administrator posts to %s: %d", path, got.Status)
		}
	}
	if got := dev.fetch("GET", "/admin/apps/"+id+"/access"); got.Status != http.StatusForbidden {
		t.Errorf("who is no administrator sees it: %d", got.Status)
	}
}
