package e2e

import (
	"strings"
	"testing"
	"time"
)

// Rule: ADMIN-33
func TestTheAuditTrailSpeaksInNames(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	userID := s.person("person@example.test")
	admin, dev := s.signedIn("admin@example.test"), s.signedIn("person@example.test")
	appID, _ := dev.registered("web")
	s.command("", "user-group", "create", "--name", "Editors")
	page := admin.fetch("GET", "/admin/audit")
	for _, want := range []string{`href="/admin/users/` + userID + `"`, `href="/admin/apps/` + appID + `"`,
		`href="/admin/groups/`, ">Editors<", `<option value="client.created">`} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the page lacks %s:\n%s", want, page.Body)
		}
	}
	byName := admin.fetch("GET", "/admin/audit?actor=person@example.test&kind=client.created")
	if !strings.Contains(byName.Body, appID) {
		t.Errorf("what a person did is not found by their address:\n%s", byName.Body)
	}
	if group := admin.fetch("GET", "/admin/audit?subject=editors"); !strings.Contains(group.Body, ">Editors<") {
		t.Errorf("what happened to a group is not found by its name:\n%s", group.Body)
	}
	if list := s.command("", "audit", "list", "--actor", "person@example.test"); !strings.Contains(list, appID) {
		t.Errorf("the command line lists %s", list)
	}
}

// Rule: PAGE-9
func TestADayOfTheAuditTrailIsOneOfWhoLooks(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		name := "Pacific/Kiritimati" // one of the two has another day than UTC at any hour
		if time.Now().UTC().Hour() < 10 {
			name = "Pacific/Pago_Pago"
		}
		zone, err := time.LoadLocation(name)
		s.must(err)
		id := s.person("admin@example.test", "--admin")
		s.command("", "user", "update", id, "--set", "zoneinfo="+name)
		day := time.Now().In(zone)
		of := "since=" + day.Format(time.DateOnly) + "&until=" + day.AddDate(0, 0, 1).Format(time.DateOnly)
		admin := s.signedIn("admin@example.test")
		for _, path := range []string{"/admin/audit", "/admin/audit.csv", "/admin/audit.ndjson"} {
			if got := admin.fetch("GET", path+"?"+of); !strings.Contains(got.Body, "session_id") { // of the sign-in
				t.Errorf("%s of today, %s: %s", path, of, got.Body)
			}
		}
	})
}
