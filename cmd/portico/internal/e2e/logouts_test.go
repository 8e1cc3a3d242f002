package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Rule: OUTBOUND-6
func TestSignOutsThatAnAppIsToldOfAreSeen(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
			_ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
		}))
		t.Cleanup(broken.Close)
		s := start(t, database)
		adminID := s.person("admin@example.test", "--admin")
		const leaving = "https://app.example.test/bye"
		c := s.client("--redirect-uri", callback, "--post-logout-uri", leaving, "--scope", "openid account:read",
			"--backchannel-logout-uri", broken.URL)
		admin := s.visitor("admin@example.test").withPassword()
		issued := admin.tokens(c, "scope", "openid account:read")
		token := issued.text("access_token")
		s.must(admin.leave(issued.text("id_token"), leaving))
		answer := func() string { return s.api(token, "GET", "/apps/"+c.ID+"/logouts", "").Body }
		s.eventually("the app is told", func() bool { return strings.Contains(answer(), "status 418") })
		for _, part := range []string{`"state":"waiting"`, `"attempts":1`, `"last_status":418`, `"next_at":"`,
			`"user_id":"` + adminID} {
			if !strings.Contains(answer(), part) {
				t.Errorf("%s lacks %s", answer(), part)
			}
		}
		if got := s.command("", "client", "logouts", c.ID); !strings.Contains(got, "status 418") ||
			!strings.Contains(got, "waiting") {
			t.Errorf("the command says %s", got)
		}
		developer := s.signedIn("admin@example.test")
		mine, _ := developer.registered("web", "redirect_uris", callback)
		for _, uri := range []string{broken.URL, "https://logout.example.invalid/"} {
			edit, err := developer.open(s.URL + "/apps/" + mine + "/edit")
			s.must(err)
			page, err := developer.submit(edit, "app-form",
				form("name", "Mine", "profile", "standard", "redirect_uris", callback, "backchannel_logout_uri", uri))
			s.must(err)
			if strings.Contains(page.Body, "name server") || !strings.Contains(page.Body, `id="logouts"`) {
				t.Errorf("%s: %s\n%s", uri, page.At, page.Body)
			}
		}
	})
}
