package e2e

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Rule: ADMIN-17
func TestAFreshServerHasNobodyAndNoDefaultPassword(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := newSite(t, database)
		s.spawn()
		if list := strings.TrimSpace(s.command("", "user", "list", "--json")); strings.Contains(list, "id") {
			t.Errorf("there is %s", list)
		}
		for _, name := range []string{"admin", "administrator", "root", "portico", "admin@localhost", "admin@example.test"} {
			for _, guess := range []string{"", "admin", "password", "portico", "changeme", "administrator"} {
				v := s.visitor(name)
				p, err := v.open(s.URL + "/login")
				s.must(err)
				p, err = v.submit(p, "login-form", form("username", name, "password", guess))
				s.must(err)
				if p.At.Path != "/login" {
					t.Errorf("%s signs in with %q", name, guess)
				}
			}
		}
	})
}

// Rule: ADMIN-17
func TestTheSetUpLinkIsInItsFileAlone(t *testing.T) {
	s := newSite(t, "sqlite:"+filepath.Join(t.TempDir(), "portico.db"))
	s.spawn()
	file := filepath.Join(s.dataDir(), "setup-url")
	info, err := os.Stat(file)
	s.must(err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %s", info.Mode())
	}
	text, err := os.ReadFile(file)
	s.must(err)
	link := strings.TrimSpace(string(text))
	parsed, err := url.Parse(link)
	s.must(err)
	token := parsed.Query().Get("link")
	if len(token) < 40 {
		t.Fatalf("the link is %s", link)
	}
	if got := s.visitor("x").fetch("GET", parsed.RequestURI()); got.Status != http.StatusOK ||
		!strings.Contains(got.Body, `id="setup-form"`) {
		t.Errorf("the link opens %d\n%s", got.Status, got.Body)
	}
	log, _ := s.log.read()
	if strings.Contains(log, token) || strings.Contains(log, "link=") || !strings.Contains(log, "setup-url") {
		t.Errorf("the log says\n%s", log)
	}
	kept := 0
	folder := filepath.Dir(strings.TrimPrefix(s.database(), "sqlite:"))
	files, err := os.ReadDir(folder)
	s.must(err)
	for _, f := range files {
		bytes, err := os.ReadFile(filepath.Join(folder, f.Name()))
		s.must(err)
		kept += len(bytes)
		if strings.Contains(string(bytes), token) {
			t.Errorf("the token is in %s", f.Name())
		}
	}
	if kept == 0 {
		t.Errorf("nothing is kept in %s", folder)
	}
}

// database is the URL of the site's database.
func (s *site) database() string { return s.setting("DATABASE_URL") }
