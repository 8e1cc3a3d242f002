package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// Rules: POLICY-1, POLICY-2
func TestAdministratorsDecideWhoRegistersAppsAndWhoNeedsASecondFactor(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		both := twinsOn(t, database)
		s := both[0]
		s.person("admin@example.test", "--admin")
		s.person("dev@example.test")
		admin, dev := s.signedIn("admin@example.test"), both[1].signedIn("dev@example.test")
		tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
		token := admin.tokens(tool, "scope", "openid account:read account:write").text("access_token")
		register := func() answer { return dev.press("/apps/new", "name", "Planner", "connects", "own", "type", "service") }
		if got := register(); !strings.Contains(got.Body, "revealed-client-secret") {
			t.Fatalf("everybody registers apps at first: %d\n%s", got.Status, got.Body)
		}
		if got := s.api(token, "PATCH", "/policy", `{"apps_per_person":"1"}`); got.Status != http.StatusOK ||
			!strings.Contains(got.Body, `"apps_per_person":"1"`) {
			t.Fatalf("the API: %d %s", got.Status, got.Body)
		}
		if got := register(); got.Status != http.StatusTooManyRequests || !strings.Contains(got.Body, "delete one first") {
			t.Errorf("one more than the quota: %d\n%s", got.Status, got.Body)
		}
		s.command("", "policy", "set", "apps_per_person=", "register_apps=administrators")
		if got := register(); got.Status != http.StatusUnprocessableEntity {
			t.Errorf("somebody else than administrators: %d\n%s", got.Status, got.Body)
		}
		if page := dev.fetch("GET", "/apps"); strings.Contains(page.Body, `id="new-app"`) {
			t.Errorf("the page leads to a form that is refused:\n%s", page.Body)
		}
		if page := dev.fetch("GET", "/apps/new"); page.Status != http.StatusForbidden {
			t.Errorf("the form: %d", page.Status)
		}
		if got := admin.press("/apps/new", "name", "Planner", "connects", "own", "type",
			"service"); !strings.Contains(got.Body, "revealed-client-secret") {
			t.Errorf("an administrator: %d\n%s", got.Status, got.Body)
		}
		s.command("", "user-group", "create", "--name", "Developers")
		for wrong, field := range map[string]string{"group:Nobody": "register_apps", "nobody": "register_apps"} {
			if got := s.api(token, "PATCH", "/policy", `{"register_apps":"`+wrong+`"}`); got.Status !=
				http.StatusUnprocessableEntity || !strings.Contains(got.Body, field) {
				t.Errorf("%s: %d %s", wrong, got.Status, got.Body)
			}
		}
		admin.press("/admin/policy", "second_factor", "voluntary", "register_apps", "group", "register_group", "Developers",
			"apps_per_person", "100")
		if got := register(); got.Status != http.StatusUnprocessableEntity {
			t.Errorf("somebody who is not in the group: %d\n%s", got.Status, got.Body)
		}
		s.command("", "user-group", "add", "Developers", "dev@example.test")
		if got := register(); !strings.Contains(got.Body, "revealed-client-secret") {
			t.Errorf("somebody in the group: %d\n%s", got.Status, got.Body)
		}

		s.command("", "policy", "set", "second_factor=everybody")
		both[1].within(time.Second, func() bool { return dev.fetch("GET", "/apps").Status == http.StatusSeeOther },
			"a session of a password goes on though a factor is demanded of everybody")
	})
}

// Rule: POLICY-1
func TestASettingGoesBeforeWhatAdministratorsDecide(t *testing.T) {
	s := start(t, sqliteURL(t), "REGISTER_APPS=administrators")
	s.person("admin@example.test", "--admin")
	admin := s.signedIn("admin@example.test")
	page := admin.fetch("GET", "/admin/policy")
	if !strings.Contains(page.Body, "PORTICO_REGISTER_APPS") || strings.Contains(page.Body, `name="register_group"`) {
		t.Errorf("the page does not say that the setting decides:\n%s", page.Body)
	}
	admin.press("/admin/policy", "second_factor", "voluntary", "register_apps", "everybody", "apps_per_person", "7")
	if said := s.command("", "policy", "show"); !strings.Contains(said, `"register_apps": "administrators"`) ||
		!strings.Contains(said, `"apps_per_person": "7"`) {
		t.Errorf("what holds is %s", said)
	}
}
