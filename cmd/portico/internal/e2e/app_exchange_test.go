package e2e

import (
	"html"
	"net/http"
	"strings"
	"testing"
)

// Rules: HANDON-7, IDJAG-8
func TestAdministratorsSayOnAPageWhereAnAppGoesOnForPeople(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("admin@example.test", "--admin")
		s.person("dev@example.test")
		admin, dev := s.signedIn("admin@example.test"), s.signedIn("dev@example.test")
		c := s.client("--redirect-uri", callback, "--profile", "standard", "--scope", "openid email")
		page := "/admin/apps/" + c.ID + "/exchange"
		if got := admin.fetch("GET", "/admin/apps/"+c.ID).Body; !strings.Contains(got, `href="`+page+`"`) {
			t.Errorf("the page of the app leads nowhere:\n%s", got)
		}
		const other = "https://chat.example.test chat-app chat:read"
		fields := []string{"exchange_for", "https://billing.example.test\n\nhttps://orders.example.test", "impersonates", "on",
			"introduces_to", other}
		if got := dev.press(page, fields...); got.Status != http.StatusForbidden {
			t.Errorf("who is no administrator: %d", got.Status)
		}
		told := func() string { return s.command("", "client", "show", c.ID) }
		if got := told(); strings.Contains(got, "billing") {
			t.Errorf("that changed something: %s", got)
		}
		for bad, field := range map[string]string{"orders": "exchange_for", "https://chat.example.test": "introduces_to"} {
			got := admin.press(page, field, bad)
			if got.Status != http.StatusUnprocessableEntity || !strings.Contains(html.UnescapeString(got.Body), bad) {
				t.Errorf("%q: %d\n%s", bad, got.Status, got.Body)
			}
		}
		admin.press(page, fields...)
		for _, want := range []string{"https://billing.example.test", "https://orders.example.test", other} {
			if shown := admin.fetch("GET", page).Body; !strings.Contains(shown, want) || !strings.Contains(told(), want) {
				t.Errorf("%s is not kept:\n%s\n%s", want, shown, told())
			}
		}
		admin.press(page)
		if got := told(); strings.Contains(got, "example.test chat-app") || strings.Contains(got, "billing") {
			t.Errorf("what was taken away is still there: %s", got)
		}
		native := s.client("--type", "native", "--redirect-uri", anyPort)
		platform := s.client("--redirect-uri", callback, "--profile", "platform")
		for what, c := range map[string]client{"can't keep a secret": native, "is of profile platform": platform} {
			if got := admin.fetch("GET", "/admin/apps/"+c.ID); got.Status != http.StatusOK ||
				strings.Contains(got.Body, "/admin/apps/"+c.ID+"/exchange") {
				t.Errorf("the page of an app that %s (%d) leads where it can do nothing", what, got.Status)
			}
		}
		for i := 0; i < len(fields); i += 4 {
			got := admin.press("/admin/apps/"+native.ID+"/exchange", fields[i:i+2]...)
			if got.Status != http.StatusUnprocessableEntity {
				t.Errorf("an app that can't keep a secret, %s: %d", fields[i], got.Status)
			}
		}
	})
}
