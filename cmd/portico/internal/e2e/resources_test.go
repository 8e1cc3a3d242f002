package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Rules: RES-13, RES-14
func TestResourcesAreLookedAfterOnPages(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	s.person("person@example.test")
	admin := s.signedIn("admin@example.test")
	const list = "/admin/resources"
	for _, wrong := range [][]string{
		{"resource", "orders", "scope", "orders:read"}, {"resource", "https://orders.example.test"},
		{"resource", "https://orders.example.test", "scope", "orders:read", "lifetime", "long"},
	} {
		got := admin.press(list, wrong...)
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, `aria-invalid="true"`) {
			t.Errorf("%q: %d\n%s", wrong, got.Status, got.Body)
		}
	}
	good := []string{"resource", "https://orders.example.test", "scope", "orders:read\r\norders:write", "everyone", "on"}
	made := admin.press(list, good...)
	at, _, found := strings.Cut(made.Header.Get("Location"), "?done=created")
	if again := admin.press(list, good...); !found || again.Status != http.StatusUnprocessableEntity {
		t.Fatalf("made: %d, again: %d\n%s", made.Status, again.Status, made.Body)
	}
	first, err := admin.open(s.URL + at)
	s.must(err)
	s.command("", "resource", "set", "https://orders.example.test", "lifetime=600") // meanwhile
	edited, err := admin.submit(first, "resource-form", form(append(good, "default_scope", "orders:read")...))
	s.must(err)
	if edited.At.Query().Get("done") != "edited" {
		t.Errorf("edited: on %s: %s", edited.At, inner(edited.Body, "</form>", `id="form-errors"`))
	}
	var now struct {
		Lifetime int
		Scope    string
		Default  string `json:"default_scope"`
		Disabled bool
	}
	show := func() { s.must(json.Unmarshal([]byte(s.command("", "resource", "show", at[len(list)+1:])), &now)) }
	show()
	if now.Lifetime != 600 || now.Default != "orders:read" || now.Scope != "orders:read orders:write" {
		t.Errorf("edited: %+v", now)
	}
	admin.press(at + "/disable")
	show()
	if !now.Disabled || !strings.Contains(admin.fetch("GET", at).Body, `id="enable"`) {
		t.Errorf("disabled: %+v", now)
	}
	if got := s.signedIn("person@example.test").fetch("GET", list); got.Status != http.StatusForbidden {
		t.Errorf("the page for everybody: %d", got.Status)
	}
	s.resourcesByProgram(at[len(list)+1:])
	admin.press(at + "/delete")
	if got := admin.fetch("GET", at); got.Status != http.StatusNotFound {
		t.Errorf("deleted: %d", got.Status)
	}
}

// resourcesByProgram looks after resources by /admin/v1, beside one that is disabled.
func (s *site) resourcesByProgram(disabled string) {
	s.Helper()
	const scopes = "openid account:read account:write"
	tool := s.client("--redirect-uri", callback, "--scope", scopes)
	access := s.visitor("admin@example.test").withPassword().tokens(tool, "scope", scopes).text("access_token")
	api := func(status int, method, path, body string) answer {
		s.Helper()
		got := s.api(access, method, "/resources"+path, body)
		if got.Status != status {
			s.Fatalf("%s %s %s: %d %s, want %d", method, path, body, got.Status, got.Body, status)
		}
		return got
	}
	const billing = `{"resource":"https://billing.example.test","scope":"bills:read","everyone":true}`
	made := api(http.StatusCreated, "POST", "", billing)
	api(http.StatusConflict, "POST", "", billing)
	api(http.StatusUnprocessableEntity, "POST", "", `{"resource":"billing","scope":"bills:read"}`)
	one := "/" + made.text("id")
	if made.Header.Get("Location") != "/admin/v1/resources"+one {
		s.Errorf("it is at %q", made.Header.Get("Location"))
	}
	api(http.StatusUnprocessableEntity, "PATCH", one, `{"default_scope":"other"}`)
	api(http.StatusOK, "PATCH", one, `{"scope":"bills:read bills:write","lifetime":300,"disabled":true}`)
	shown := api(http.StatusOK, "GET", one, "").Body
	for _, want := range []string{`"scope":"bills:read bills:write"`, `"lifetime":300`, `"disabled":true`,
		`"everyone":true`} {
		if !strings.Contains(shown, want) {
			s.Errorf("no %s in %s", want, shown)
		}
	}
	if all := api(http.StatusOK, "GET", "", "").Body; !strings.Contains(all, disabled) ||
		!strings.Contains(all, "billing.example.test") {
		s.Errorf("listed: %s", all)
	}
	api(http.StatusNoContent, "DELETE", one, "")
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		api(http.StatusNotFound, method, one, `{}`)
	}
	other := s.signedIn("person@example.test").tokens(tool, "scope", "openid account:read").text("access_token")
	if got := s.api(other, "GET", "/resources", ""); got.Status != http.StatusForbidden {
		s.Errorf("everybody sees them: %d", got.Status)
	}
}
