package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// python finds a Python that has Authlib: Debian's, which need not be the
// first one in PATH.
func python(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Authlib, which -short leaves out")
	}
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(name, "-c", "import authlib, requests").Run() == nil {
			return name
		}
	}
	t.Fatal("Authlib is missing: install it (apt-get install python3-authlib python3-requests); go test -short leaves out what needs it")
	return ""
}

// Rule: DISC-8
func TestAuthlibWorksAsItsGuideSays(t *testing.T) {
	t.Parallel()
	interpreter := python(t)
	s := start(t, sqliteURL(t))
	subject := s.person("person@example.test")
	c := s.register("authlib.md")
	program := weave(t, "authlib.py", "authlib.md", "https://id.example.test", s.URL, "YOUR_CLIENT_ID", c.ID,
		"YOUR_CLIENT_SECRET", c.Secret)
	file := filepath.Join(t.TempDir(), "main.py")
	s.must(os.WriteFile(file, []byte(program), 0o600))
	cmd := exec.Command(interpreter, file)
	cmd.Env = append(os.Environ(), "AUTHLIB_INSECURE_TRANSPORT=1")

	got := s.visitor("person@example.test").converse(cmd)
	want := map[string]any{
		"sub": subject, "person": "person@example.test", "rotated": true, "active": true,
		"dead": map[string]any{"active": false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Authlib found (-want +got):\n%s", diff)
	}
}
