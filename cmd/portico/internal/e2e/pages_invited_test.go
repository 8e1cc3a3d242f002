package e2e

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// No mail goes out here: who invites is shown the link.
//
// Rule: FILES-11
func TestWhomTheServersAdministratorInvitesToAHubSignsInAndSeesIt(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		var hub struct{ ID string }
		s.commandJSON(&hub, "", "hub", "create", "--name", "Works")
		for email, flags := range map[string][]string{"server@example.test": {"--admin"}, "hub@example.test": nil} {
			s.person(email, flags...)
			s.command("", "member", "add", "--hub", hub.ID, "--user", email, "--role", "admin")
		}
		people := "/files/hubs/" + hub.ID + "/admin/people"
		got := s.signedIn("hub@example.test").press(people, "user", "new@example.test")
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "new@example.test") {
			t.Errorf("who administers the hub alone: %d\n%s", got.Status, got.Body)
		}
		for _, wrong := range []string{"@", "new@"} {
			got := s.signedIn("server@example.test").press(people, "user", wrong)
			if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, `id="error-user"`) ||
				strings.Count(got.Body, `href="#field-user"`) != 1 || strings.Contains(got.Body, "1 to 200") {
				t.Errorf("%s: %d\n%s", wrong, got.Status, got.Body)
			}
		}
		shown := s.signedIn("server@example.test").press(people, "user", "new@example.test")
		link := html.UnescapeString(regexp.MustCompile(regexp.QuoteMeta(s.URL+"/password?link=") + `[^"<\s]+`).
			FindString(shown.Body))
		if link == "" {
			t.Fatalf("no link: %d\n%s", shown.Status, shown.Body)
		}
		invited := s.visitor("new@example.test")
		p, err := invited.open(link)
		s.must(err)
		p, err = invited.submit(p, "password-form", form("password", password, "again", password))
		s.must(err)
		if p.Status != http.StatusOK {
			t.Fatalf("choosing a password: %d\n%s", p.Status, p.Body)
		}
		for path, name := range map[string]string{"/files": "Works", "/files/hubs/" + hub.ID: "Works"} {
			p, err = invited.through(invited.open(s.URL + path))
			s.must(err)
			if p.Status != http.StatusOK || !strings.Contains(p.Body, "<bdi>"+name+"</bdi>") {
				t.Errorf("%s: %d at %s\n%s", path, p.Status, p.At, p.Body)
			}
		}
		if got := invited.fetch("GET", people); got.Status == http.StatusOK {
			t.Error("a member looks after the hub")
		}
	})
}
