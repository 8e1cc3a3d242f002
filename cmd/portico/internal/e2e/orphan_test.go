package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// Rule: ADMIN-20
func TestAnAdministratorHandsOnTheAppOfSomebodyWhoIsGone(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("admin@example.test", "--admin")
		gone := s.person("gone@example.test")
		s.person("heir@example.test")
		admin, heir := s.signedIn("admin@example.test"), s.signedIn("heir@example.test")
		id, created := s.signedIn("gone@example.test").registered("service", "name", "Nightly Import")
		app := client{ID: id, Secret: inner(created.Body, "<", `id="revealed-client-secret"`, ">")}
		page := "/admin/apps/" + id
		if got := inner(admin.fetch("GET", page).Body, "</section>", `id="members"`); !strings.Contains(got,
			"gone@example.test</bdi> · owner") {
			t.Errorf("who manages it: %s", got)
		}
		if got := admin.press("/admin/users/" + gone + "/delete"); got.Status != http.StatusSeeOther {
			t.Fatalf("deleting: %d\n%s", got.Status, got.Body)
		}
		if got := s.token(app, "grant_type", "client_credentials", "scope", "data:read"); got.Status != http.StatusOK {
			t.Errorf("the app of somebody who is gone: %d %s", got.Status, got.Body)
		}
		if got := inner(admin.fetch("GET", page).Body, "</section>", `id="members"`); !strings.Contains(got, "Nobody:") {
			t.Errorf("who manages it now: %s", got)
		}
		notThere(t, "before", heir.fetch("GET", "/apps/"+id))
		if got := heir.press(page+"/members", "member", "heir@example.test"); got.Status != http.StatusForbidden {
			t.Errorf("somebody takes it: %d", got.Status)
		}
		if got := admin.press(page+"/members", "member",
			"nobody@example.test"); got.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(got.Body, `id="error-member"`) || !strings.Contains(got.Body, "nobody@example.test") {
			t.Errorf("to nobody: %d\n%s", got.Status, got.Body)
		}
		s.command("", "user", "update", "heir@example.test", "--set", "email_verified=true")
		if got := admin.press(page+"/members", "member", "heir@example.test"); got.Status != http.StatusSeeOther {
			t.Fatalf("handing it on: %d\n%s", got.Status, got.Body)
		}
		if got := heir.fetch("GET", "/apps/"+id); got.Status != http.StatusOK ||
			!strings.Contains(got.Body, "Nightly Import") {
			t.Errorf("after: %d\n%s", got.Status, got.Body)
		}
		if got := admin.fetch("GET", "/admin/audit?kind=client.member_added&subject="+id); !strings.Contains(got.Body, id) {
			t.Errorf("it is not audited:\n%s", got.Body)
		}
	})
}
