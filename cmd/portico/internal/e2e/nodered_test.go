package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// nodeRED is the one of the guide, and the token with which the editor calls it.
type nodeRED struct{ URL, token string }

func (n *nodeRED) run(t *testing.T, port, settings string) {
	t.Helper()
	dir, packages := t.TempDir(), filepath.Join(installed(t, "node-red", "package-lock.json"), "node_modules")
	lay(t, dir, map[string]string{"settings.js": settings})
	if err := os.Symlink(packages, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", filepath.Join(packages, "node-red", "red.js"), "--userDir", dir, "--port", port,
		"-D", "uiHost=127.0.0.1")
	cmd.Dir = dir
	runBeside(t, cmd, port)
}

// asks does as the script of the editor.
func (n *nodeRED) asks(v *visitor, method, path string, pairs ...string) (page, error) {
	r, err := http.NewRequest(method, n.URL+path, strings.NewReader(form(pairs...).Encode()))
	if err != nil {
		return page{}, err
	}
	r.Header.Set("Authorization", "Bearer "+n.token)
	r.Header.Set("Content-Type", formType)
	return v.follow(r)
}

// Rule: DISC-8
func TestNodeREDWorksAsItsGuideSays(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Node-RED, which -short leaves out")
	}
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	port := freeport.Take(t)
	n := &nodeRED{URL: "http://localhost:" + port}
	examples := []string{"https://id.example.test", s.URL, "https://app.example.test", n.URL}
	c := s.register("node-red.md", examples...)
	n.run(t, port, snippet(t, "node-red.md", "js", 1,
		append(examples, "YOUR_CLIENT_ID", c.ID, "YOUR_CLIENT_SECRET", c.Secret)...))
	v := s.visitor("person@example.test")
	v.goes = []string{n.URL + "/"}
	v.uses(usage{
		client: c, bye: n.URL + "/", shows: `"username":"person@example.test"`,
		enter: func() (page, error) { return v.open(n.URL + "/auth/strategy") },
		see: func(editor page) (page, error) {
			var signedIn bool
			if n.token, signedIn = strings.CutPrefix(editor.At.RawQuery, "access_token="); !signedIn { // base64, not encoded
				return editor, nil
			}
			return n.asks(v, http.MethodGet, "/settings")
		},
		leave: func() (page, error) {
			told, err := n.asks(v, http.MethodPost, "/auth/revoke", "token", n.token)
			if err != nil {
				return page{}, err
			}
			return v.open(told.text("redirect"))
		},
	})
}
