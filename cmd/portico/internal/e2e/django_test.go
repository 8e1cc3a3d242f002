package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// django is how a package for it is set up: the guide's blocks, and its paths.
type django struct {
	settings, urls int // numbers of blocks
	module         int // of sign_in.py; 0: there is none
	callback       string
	enter, leave   string
	presses        bool // a form to enter
}

// run serves a site of Django as the guide says.
func (d django) run(t *testing.T, port string, examples ...string) {
	t.Helper()
	dir := t.TempDir()
	own := func(name string) string { return string(must(os.ReadFile("testdata/django/" + name))) }
	block := func(n int) string { return snippet(t, "django.md", "python", n, examples...) + "\n" }
	files := map[string]string{
		"serve.py": own("serve.py"), "settings.py": own("settings.py") + block(d.settings),
		"urls.py": own("urls.py") + block(d.urls),
	}
	if d.module > 0 {
		files["sign_in.py"] = block(d.module)
	}
	lay(t, dir, files)
	serve := exec.Command(filepath.Join(installed(t, "django", "requirements.txt"), "bin", "python"), "serve.py", port)
	serve.Dir = dir
	runBeside(t, serve, port)
}

// Rule: DISC-8
func TestDjangoWorksAsItsGuideSays(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Python packages, which -short leaves out")
	}
	for name, d := range map[string]django{
		"mozilla-django-oidc": {settings: 1, urls: 2, module: 3, callback: "/oidc/callback/", enter: "/",
			leave: "/post?to=/oidc/logout/"},
		"social-auth": {settings: 4, urls: 5, callback: "/complete/oidc/", enter: "/post?to=/login/oidc/", presses: true,
			leave: "/post?to=/logout/"},
		"allauth": {settings: 6, urls: 7, callback: "/accounts/oidc/portico/login/callback/", enter: "/",
			leave: "/post?to=/accounts/logout/"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, sqliteURL(t))
			s.person("person@example.test")
			port := freeport.Take(t)
			at := "http://localhost:" + port
			examples := []string{"https://id.example.test", s.URL, "/oidc/callback/", d.callback, "https://app.example.test", at}
			c := s.register("django.md", examples...)
			d.run(t, port, append(examples, "YOUR_CLIENT_ID", c.ID, "YOUR_CLIENT_SECRET", c.Secret)...)
			v := s.visitor("person@example.test")
			v.goes = []string{at + "/"}
			v.uses(usage{
				client: c, bye: at + "/bye", shows: "person@example.test Demo Person",
				enter: func() (page, error) {
					if d.presses {
						return v.presses(at + d.enter)
					}
					return v.open(at + d.enter)
				},
				leave: func() (page, error) { return v.presses(at + d.leave) },
			})
		})
	}
}
