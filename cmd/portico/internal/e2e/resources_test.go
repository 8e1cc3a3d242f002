package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Rule: RES-14
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
	admin.press(at + "/delete")
	if got := admin.fetch("GET", at); got.Status != http.StatusNotFound {
		t.Errorf("deleted: %d", got.Status)
	}
}
