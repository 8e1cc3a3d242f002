package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// Rule: LIMIT-8
func TestAPersonRegistersSoManyAppsAMinute(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database, "RATE_LIMITS=apps=2")
		for _, email := range []string{"dev@example.test", "other@example.test"} {
			s.person(email)
		}
		s.person("admin@example.test", "--admin")
		dev := s.signedIn("dev@example.test")
		register := func(v *visitor) answer {
			return v.press("/apps/new", "name", "One more", "type", "service", "connects", "own")
		}
		for range 2 {
			if got := register(dev); got.Status != http.StatusOK {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
		}
		got := register(dev)
		if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
			t.Errorf("the third: %d, try again after %q", got.Status, got.Header.Get("Retry-After"))
		}
		for _, part := range []string{"at most 2 a minute", `id="app-form"`, `value="One more"`, `href="/apps"`} {
			if !strings.Contains(got.Body, part) {
				t.Errorf("the page lacks %s\n%s", part, got.Body)
			}
		}
		if n := strings.Count(s.command("", "client", "list"), "One more"); n != 2 {
			t.Errorf("%d apps are registered", n)
		}
		if got := register(s.signedIn("other@example.test")); got.Status != http.StatusOK {
			t.Errorf("somebody else: %d", got.Status)
		}
		admin := s.signedIn("admin@example.test")
		for range 4 {
			if got := register(admin); got.Status != http.StatusOK {
				t.Errorf("an administrator: %d", got.Status)
			}
		}
		if got := admin.fetch("GET", "/admin/limits").Body; !strings.Contains(inner(got, "</table>", `id="usage"`),
			">apps</td>") {
			t.Errorf("the page of limits says nothing of it")
		}
	})
}
