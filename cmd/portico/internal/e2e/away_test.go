package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// Rule: FORM-8
func TestNobodyAdministersAtTheBrowserOfWhoWentAway(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("admin@example.test", "--admin")
		id, app := s.person("somebody@example.test"), s.client("--redirect-uri", callback)
		admin := s.signedIn("admin@example.test")
		invite := "/admin/v1/apps/" + app.ID + "/invitations"
		invites := func() answer {
			r, err := http.NewRequest(http.MethodPost, s.URL+invite, strings.NewReader(`{"member":"somebody@example.test"}`))
			s.must(err)
			r.Header.Set("Content-Type", "application/json")
			got, err := try(admin.http, r)
			s.must(err)
			return got
		}
		if got := admin.press("/admin/users/" + id + "/reset"); !strings.Contains(got.Body, s.URL+"/password") {
			t.Errorf("who is there makes a link: %d %s", got.Status, got.Body)
		}
		if got := invites(); got.Status != http.StatusCreated {
			t.Errorf("who is there invites: %d %s", got.Status, got.Body)
		}
		aged(t, database, "- 660000000")
		for _, path := range []string{"/admin/users/" + id + "/reset", "/admin/users/" + id + "/invite",
			"/admin/apps/" + app.ID + "/members", "/admin/groups"} {
			got := admin.press(path, "member", "somebody@example.test", "name", "G")
			if to := got.Header.Get("Location"); got.Status != http.StatusSeeOther || !strings.HasSuffix(to, "&again=1") {
				t.Errorf("%s leads to %q: %d %s", path, to, got.Status, got.Body)
			}
		}
		if got := invites(); got.Status != http.StatusUnauthorized {
			t.Errorf("a program of who went away invites: %d %s", got.Status, got.Body)
		}
		if got := admin.fetch("GET", invite); got.Status != http.StatusOK {
			t.Errorf("it reads: %d %s", got.Status, got.Body)
		}
	})
}
