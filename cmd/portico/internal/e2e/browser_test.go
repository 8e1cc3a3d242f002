package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Rule: PAGE-4
func TestAPersonSignsInToAnAppInABrowserAndOutAgain(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for _, scripts := range []bool{true, false} {
		for _, mode := range []string{"", "form_post"} {
			t.Run(fmt.Sprintf("scripts=%v,mode=%s", scripts, mode), func(t *testing.T) {
				s := start(t, sqliteURL(t))
				subject := s.person("person@example.test")
				rp := s.relyingParty(mode)
				b := newTab(t, browser, scripts)
				heard := b.complaints()

				b.open(rp.URL)
				b.click("sign-in")
				b.signIn("person@example.test")
				b.click("consent-allow")
				if mode == "form_post" && !scripts {
					b.click("form-post-submit")
				}
				if got := b.text("signed-in"); got != subject {
					t.Fatalf("signed in as %s", got)
				}
				rp.checkTokens(s.URL, subject, "person@example.test")

				b.open(rp.signOutURL())
				b.await("signed-out")
				b.open(rp.URL + "/start")
				b.await("login-submit") // nobody is signed in any more
				if list := heard.all(); len(list) > 0 {
					t.Errorf("the browser complained:\n%s", strings.Join(list, "\n"))
				}
			})
		}
	}
}

func TestAPersonSaysNoAndSignsOutOnTheirOwnPage(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for mode, scripts := range map[string]bool{"": true, "form_post": false} {
		t.Run(fmt.Sprintf("scripts=%v,mode=%s", scripts, mode), func(t *testing.T) {
			s := start(t, sqliteURL(t))
			s.person("person@example.test")
			rp := s.relyingParty(mode)
			b := newTab(t, browser, scripts)

			b.open(rp.URL + "/start")
			b.signIn("person@example.test")
			b.click("consent-deny")
			if mode == "form_post" && !scripts {
				b.click("form-post-submit")
			}
			if got := b.text("failed"); !strings.Contains(got, "access_denied") {
				t.Errorf("the app is told %q", got)
			}
			b.open(s.URL)
			b.click("signout")
			b.await("login-submit")
			b.open(s.URL)
			b.await("login-submit") // it stays signed out
		})
	}
}

// Rule: ADMIN-25
func TestTheDemoIsThereToBeSignedInTo(t *testing.T) {
	s := newSite(t, sqliteURL(t))
	s.spawn("--demo")
	demo := readEnvFile(t, s.dataDir()+"/demo.env")
	if demo["DEMO_URL"] != s.URL {
		t.Errorf("the demo says %s, the server is at %s", demo["DEMO_URL"], s.URL)
	}
	c := client{ID: demo["DEMO_CLIENT_ID"], Secret: demo["DEMO_CLIENT_SECRET"],
		RedirectURIs: []string{"http://127.0.0.1:8765/callback"}}
	if got := s.token(c, "grant_type", "client_credentials"); got.Status != 200 {
		t.Errorf("client credentials: %d %s", got.Status, got.Body)
	}
	v := s.visitor(demo["DEMO_USER"])
	v.password = demo["DEMO_PASSWORD"]
	if got := s.userInfo(v.tokens(c).text("access_token")); got.text("email") != demo["DEMO_USER"] {
		t.Errorf("user info: %d %s", got.Status, got.Body)
	}
	home := v.fetch("GET", "/").Body
	path := inner(home, "<", "<code>GET ")
	token := s.token(c, "grant_type", "client_credentials", "scope", "data:read").text("access_token")
	if got := s.bearing(token, "GET", path, ""); got.Status != 200 || !strings.Contains(got.Body, "Project Files") {
		t.Errorf("the call that the page tells of: %q: %d %s", path, got.Status, got.Body)
	}
	told := strings.Fields(inner(home, "<", "<code>portico "))
	if got := s.command("", told...); !strings.Contains(got, "Riverside Tower") {
		t.Errorf("the command that the page tells of: %q: %s", told, got)
	}
}

// Rule: ADMIN-25
func TestAServerWithoutADemoTellsOfNone(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	v := s.visitor("person@example.test")
	page, err := v.through(v.open(s.URL + "/"))
	if s.must(err); page.At.Path != "/" || strings.Contains(page.Body, `id="demo"`) ||
		strings.Contains(page.Body, "Riverside") {
		t.Errorf("at %s:\n%s", page.At, page.Body)
	}
}

// readEnvFile reads NAME=value lines.
func readEnvFile(t *testing.T, path string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[name] = value
	}
	return values
}
