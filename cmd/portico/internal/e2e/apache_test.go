package e2e

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/freeport"
)

const apacheModules = "/usr/lib/apache2/modules"

// apache is an Apache with mod_auth_openidc.
type apache struct{ URL, dir, port string }

// newApache prepares one: its address is known before its configuration.
func newApache(t *testing.T) *apache {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Apache, which -short leaves out")
	}
	for path, name := range map[string]string{
		findApache(): "apache2-bin", apacheModules + "/mod_auth_openidc.so": "libapache2-mod-auth-openidc",
	} {
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("Apache is missing: install it (apt-get install %s); go test -short leaves out what needs it", name)
		}
	}
	port := freeport.Take(t)
	return &apache{URL: "http://localhost:" + port, dir: publicDir(t), port: port}
}

// publicDir is a temporary folder that another account can read.
func publicDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	openUp(t, dir)
	return dir
}

// openUp lets another account read a temporary folder of the test.
func openUp(t *testing.T, dir string) {
	t.Helper()
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func findApache() string {
	if path, err := exec.LookPath("apache2"); err == nil {
		return path
	}
	return "/usr/sbin/apache2"
}

// run starts it with the configuration, and waits until it answers.
func (a *apache) run(t *testing.T, config string) {
	t.Helper()
	base := must(os.ReadFile("testdata/apache.conf"))
	whole := strings.NewReplacer("DIRECTORY", a.dir, "PORT", a.port, "MODULES", apacheModules).Replace(string(base)) +
		"\n" + config
	for name, text := range map[string]string{
		"apache.conf": whole, "site/wiki/index.html": "the wiki", "site/api/index.html": "the API",
		"site/bye/index.html": "bye",
	} {
		file := filepath.Join(a.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"-DFOREGROUND", "-f", filepath.Join(a.dir, "apache.conf")}
	if os.Geteuid() == 0 {
		args = append(args, "-DROOT")
	}
	runBeside(t, exec.Command(findApache(), args...), a.port)
}

// Rule: DISC-8
func TestApacheWorksAsItsGuideSays(t *testing.T) {
	t.Parallel()
	a := newApache(t)
	s, certificate := behindTLS(t, sqliteURL(t))
	s.must(os.WriteFile(filepath.Join(a.dir, "ca.pem"), certificate, 0o644))
	s.person("person@example.test")
	examples := []string{"https://id.example.test", s.URL, "https://app.example.test", a.URL}
	c := s.register("mod-auth-openidc.md", examples...)
	examples = append(examples, "YOUR_CLIENT_ID", c.ID, "YOUR_CLIENT_SECRET", c.Secret, "PASSPHRASE", "long-and-random")
	a.run(t, snippet(t, "mod-auth-openidc.md", "apache", 1, examples...)+"\n"+
		snippet(t, "mod-auth-openidc.md", "apache", 2, examples...))

	v := s.visitor("person@example.test")
	v.goes = []string{a.URL + "/"}
	wiki, err := v.through(v.open(a.URL + "/wiki/"))
	s.must(err)
	if wiki.Status != http.StatusOK || !strings.Contains(wiki.Body, "the wiki") ||
		wiki.Header.Get("X-Person") != "person@example.test" {
		t.Errorf("the wiki: %d for %q at %s\n%s", wiki.Status, wiki.Header.Get("X-Person"), wiki.At, wiki.Body)
	}
	bye, err := v.open(a.URL + "/wiki/callback?logout=" + url.QueryEscape(a.URL+"/bye"))
	s.must(err)
	if !strings.Contains(bye.Body, "bye") {
		t.Errorf("signing out ends at %s: %d %s", bye.At, bye.Status, bye.Body)
	}
	if again, err := v.open(a.URL + "/wiki/"); err != nil || again.At.Path != "/login" {
		t.Errorf("signed out, the wiki leads to %v, %v", again.At, err)
	}
	a.checkTokens(t, s)
}

// checkTokens asks the protected API with good and bad tokens.
func (a *apache) checkTokens(t *testing.T, s *site) {
	t.Helper()
	service := s.client("--type", "service", "--scope", "data:read data:write")
	token := func(scope string) string {
		return s.token(service, "grant_type", "client_credentials", "scope", scope).text("access_token")
	}
	for name, tt := range map[string]struct {
		token string
		want  int
	}{
		"a token with the scope":    {token("data:read"), http.StatusOK},
		"a token without the scope": {token("data:write"), http.StatusUnauthorized},
		"a forged token":            {token("data:read") + "x", http.StatusUnauthorized},
		"no token":                  {"", http.StatusUnauthorized},
	} {
		r, err := http.NewRequest(http.MethodGet, a.URL+"/api/", nil)
		s.must(err)
		if tt.token != "" {
			r.Header.Set("Authorization", "Bearer "+tt.token)
		}
		got, err := try(s.plain, r)
		if err != nil || got.Status != tt.want {
			t.Errorf("%s: %d %v, want %d", name, got.Status, err, tt.want)
		}
	}
}
