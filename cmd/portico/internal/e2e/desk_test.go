package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Rule: ADMIN-4
func TestAnAdministratorNeedsNoCommandLine(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	s := newSite(t, sqliteURL(t))
	s.spawn()
	link, err := os.ReadFile(filepath.Join(s.dataDir(), "setup-url"))
	s.must(err)
	b := newTab(t, browser, true)
	heard := b.complaints()
	b.open(strings.TrimSpace(string(link)))
	b.write("name", "First Administrator")
	b.write("email", "admin@example.test")
	b.write("password", password)
	b.write("again", password)
	b.shot("setup")
	b.click("setup-form-submit")
	b.signIn("admin@example.test")
	b.await("users")

	b.click("new-user")
	b.write("name", "New Person")
	b.write("email", "person@example.test")
	b.shot("user-new")
	b.click("user-form-submit")
	reset := b.text("revealed-link")
	b.shot("user-link")
	b.click("continue")
	b.await("edit-user")
	b.shot("user")
	person := newTab(t, browser, true)
	person.open(reset)
	person.write("password", password)
	person.write("again", password+"x")
	person.click("password-form-submit")
	person.await("form-errors")
	person.shot("password-error")
	person.write("password", password)
	person.write("again", password)
	person.click("password-form-submit")
	person.signIn("person@example.test")
	person.await("my-apps")
	person.shot("home")
	if got := s.visitor("x").fetch("GET", strings.TrimPrefix(reset, s.URL)); got.Status != http.StatusGone {
		t.Errorf("the link works twice: %d", got.Status)
	}

	b.open(s.URL + "/admin/groups")
	b.write("name", "Editors")
	b.write("description", "They edit.")
	b.click("group-form-submit")
	b.write("member", "person@example.test")
	b.click("add-member-submit")
	b.await("done")
	b.shot("group")
	for _, page := range []string{"users", "groups", "apps", "audit", "keys", "limits", "system"} {
		b.open(s.URL + "/admin/" + page)
		b.await("main")
		b.shot("admin-" + page)
	}
	b.open(s.URL + "/admin/users?q=person")
	b.press(`document.querySelector("#users a.name")`)
	b.click("disable")
	b.click("confirm-submit")
	b.await("done")
	person.open(s.URL + "/apps")
	person.await("login-submit") // the person is signed out
	if list := heard.all(); len(list) > 0 {
		t.Errorf("the browser complained:\n%s", strings.Join(list, "\n"))
	}
}
