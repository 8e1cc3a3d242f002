package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// Rules: HOME-14, PORTAL-22
func TestAPersonOpensTheAppsThatAreForThem(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	userID := s.person("person@example.test")
	admin, dev, person := s.signedIn("admin@example.test"), s.signedIn("person@example.test"),
		s.signedIn("person@example.test")
	id, _ := dev.registered("web")
	tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
	token := admin.tokens(tool, "scope", "openid account:read account:write").text("access_token")
	set := s.api(token, "PATCH", "/apps/"+id, `{"client_uri":"https://app.example.test/",
		"initiate_login_uri":"https://app.example.test/start?from=portico"}`)
	if set.Status != http.StatusOK {
		t.Fatalf("%d %s", set.Status, set.Body)
	}
	const link = `href="https://app.example.test/start?from=portico&amp;iss=http`
	if page := person.fetch("GET", "/account/open"); strings.Contains(page.Body, link) {
		t.Errorf("an app that nobody vouches for is offered:\n%s", page.Body)
	}
	s.command("", "client", "update", id, "--vouched", "--require-second-factor")
	if page := person.fetch("GET", "/account/open"); page.Status != http.StatusOK || !strings.Contains(page.Body, link) {
		t.Errorf("the page: %d\n%s", page.Status, page.Body)
	}
	if home := person.fetch("GET", "/"); !strings.Contains(home.Body, `href="/account/open"`) {
		t.Errorf("home does not lead there:\n%s", home.Body)
	}
	if list := s.command("", "client", "list", "--opener", userID, "--json"); !strings.Contains(list, id) {
		t.Errorf("the command line lists %s", list)
	}
	if list := s.api(token, "GET", "/apps?opener="+userID, ""); !strings.Contains(list.Body, id) {
		t.Errorf("the API lists %s", list.Body)
	}
	if own := dev.fetch("GET", "/apps/"+id); !strings.Contains(own.Body, "Nobody signs in to it without one") {
		t.Errorf("the app's page does not tell of the demand:\n%s", own.Body)
	}

	wrong := dev.press("/apps/"+id+"/secrets", "label", "Second server", "ends_at", "2001-01-01")
	if wrong.Status != http.StatusUnprocessableEntity || !strings.Contains(wrong.Body, `id="error-ends_at"`) ||
		!strings.Contains(wrong.Body, `value="Second server"`) {
		t.Errorf("an end in the past: %d\n%s", wrong.Status, wrong.Body)
	}
	dev.press("/apps/"+id+"/secrets", "label", "Second server", "ends_at", "2099-12-31")
	if page := dev.fetch("GET", "/apps/"+id); !strings.Contains(page.Body, "Second server") ||
		!strings.Contains(page.Body, "2100") {
		t.Errorf("the page of the app:\n%s", page.Body)
	}
	secrets := s.api(token, "GET", "/apps/"+id, "").Body
	if !strings.Contains(secrets, `"label":"Second server"`) ||
		!strings.Contains(secrets, `"ends_at":"2100-01-01T00:00:00Z"`) {
		t.Errorf("the API tells of %s", secrets)
	}
	if shown := s.command("", "client", "show", id); !strings.Contains(shown, "Second server, of ") {
		t.Errorf("the command line tells of %s", shown)
	}
	replaced := s.command("", "client", "rotate-secret", id, "--drop-others", "--yes", "--label", "Third",
		"--until", "2099-06-30",
		"--json")
	if !strings.Contains(replaced, `"label": "Third"`) && !strings.Contains(replaced, `"label":"Third"`) {
		t.Errorf("the command line made %s", replaced)
	}
	made := s.api(token, "POST", "/apps/"+id+"/secrets", `{"label":"Fourth","ends_at":"2099-01-01T00:00:00Z"}`)
	if made.Status != http.StatusCreated || !strings.Contains(made.Body, `"label":"Fourth"`) {
		t.Errorf("the API made %d %s", made.Status, made.Body)
	}
}
