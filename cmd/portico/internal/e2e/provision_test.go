package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// Rule: ADMIN-16
func TestAnAdministratorProvisionsAnAppOnItsPage(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		f := furnish(t, database, nil)
		w := f.inUse()
		page := "/admin/apps/" + w.id
		var hub, twin struct{ ID string }
		f.commandJSON(&hub, "", "hub", "create", "--name", "Second Works")
		f.commandJSON(&twin, "", "hub", "create", "--name", "Example Works") // furnish has one of this name
		sees := func() bool {
			return strings.Contains(f.bearing(w.app, "GET", "/project/v1/hubs", "").Body, hub.ID)
		}
		if got := f.admin.fetch("GET", page); sees() || !strings.Contains(got.Body, "In none:") ||
			strings.Contains(inner(f.admin.fetch("GET", "/admin/apps").Body, "</li>", page), ">provisioned<") {
			t.Errorf("a new app is provisioned somewhere:\n%s", got.Body)
		}
		for name, c := range map[string]struct{ pairs []string }{
			"no hub":            {[]string{"hub", "Nowhere", "level", "edit", "users", "none"}},
			"no hub typed":      {[]string{"hub", "", "level", "edit", "users", "none"}},
			"a name of two":     {[]string{"hub", "Example Works", "level", "edit", "users", "none"}},
			"no such level":     {[]string{"hub", hub.ID, "level", "everything", "users", "none"}},
			"nobody like that":  {[]string{"hub", hub.ID, "level", "edit", "users", "everybody"}},
			"a list of nobody":  {[]string{"hub", hub.ID, "level", "edit", "users", "listed"}},
			"nothing but a hub": {[]string{"hub", hub.ID}},
		} {
			if got := f.admin.press(page+"/hubs", c.pairs...); got.Status != http.StatusUnprocessableEntity ||
				!strings.Contains(got.Body, `id="form-errors"`) || sees() {
				t.Errorf("%s: %d\n%s", name, got.Status, got.Body)
			}
		}
		if got := f.admin.press(page+"/hubs", "hub", " Second Works ", "level", "view", "users",
			"all-members"); got.Status != http.StatusSeeOther || !sees() {
			t.Fatalf("by its name: %d\n%s", got.Status, got.Body)
		}
		shown := f.admin.fetch("GET", page).Body
		row := inner(shown, "</li>", `id="hubs"`, "<li>")
		if !strings.Contains(row, "Second Works") || !strings.Contains(row, ">view<") ||
			!strings.Contains(row, "acts for any member") {
			t.Errorf("the page shows %s", row)
		}
		if list := inner(f.admin.fetch("GET", "/admin/apps").Body, "</li>", page); !strings.Contains(list, ">provisioned<") {
			t.Errorf("the list shows %s", list)
		}
		if got := f.admin.press(page+"/hubs", "hub", hub.ID, "level", "control", "users",
			"none"); got.Status != http.StatusSeeOther {
			t.Errorf("another level: %d", got.Status)
		}
		if row := inner(f.admin.fetch("GET", page).Body, "</ul>", `id="hubs"`); strings.Count(row, "<li>") != 1 ||
			!strings.Contains(row, ">control<") || !strings.Contains(row, "acts for nobody") {
			t.Errorf("after the change: %s", row)
		}
		withdraw := page + "/hubs/" + hub.ID + "/withdraw"
		if got := f.admin.fetch("GET", withdraw); got.Status != http.StatusOK ||
			!strings.Contains(got.Body, "Second Works") || !sees() {
			t.Errorf("it asks first: %d\n%s", got.Status, got.Body)
		}
		if got := f.admin.press(withdraw); got.Status != http.StatusSeeOther || sees() {
			t.Errorf("taking it out: %d", got.Status)
		}
		if got := f.admin.press(withdraw); got.Status != http.StatusNotFound {
			t.Errorf("taking it out again: %d", got.Status)
		}
	})
}
