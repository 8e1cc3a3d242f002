package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nodeModules returns the folder with the locked JavaScript packages.
func nodeModules(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs JavaScript packages, which -short leaves out")
	}
	return filepath.Join(installed(t, "node", "package-lock.json"), "node_modules")
}

// nodeFlags are those that this Node.js needs: until version 20 it hides the
// crypto that every browser has.
func nodeFlags(t *testing.T) []string {
	t.Helper()
	version, err := exec.Command("node", "--version").Output()
	if err != nil {
		t.Fatalf("Node.js is missing: install it (apt-get install nodejs npm); go test -short leaves out what needs it: %v",
			err)
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
	if n, err := strconv.Atoi(major); err == nil && n < 20 {
		return []string{"--experimental-global-webcrypto"}
	}
	return nil
}

// nodeProgram prepares a program of testdata/node whose marked lines are
// replaced by the guide's blocks. The pairs replace examples in these.
func nodeProgram(t *testing.T, name, guide string, pairs ...string) *exec.Cmd {
	t.Helper()
	modules, flags := nodeModules(t), nodeFlags(t)
	dir := t.TempDir()
	for file, text := range map[string]string{
		"main.mjs": weave(t, "node/"+name, guide, pairs...), "talk.mjs": weave(t, "node/talk.mjs", guide),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return exec.Command("node", append(flags, filepath.Join(dir, "main.mjs"))...)
}

// nodeAsItIs prepares a program of testdata/node that no guide has a part in.
func nodeAsItIs(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	return nodeWith(t, nodeModules(t), "node", name, "")
}

// nodeWith prepares a program of a folder of testdata with the JavaScript packages, as
// the guide says where it has parts in it.
func nodeWith(t *testing.T, modules, folder, name, guide string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	for file, from := range map[string]string{name: folder, "talk.mjs": "node"} {
		lay(t, dir, map[string]string{file: weave(t, from+"/"+file, guide)})
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return exec.Command("node", append(nodeFlags(t), filepath.Join(dir, name))...)
}

// Rule: DISC-8
func TestOpenIDClientWorksAsItsGuideSays(t *testing.T) {
	nodeModules(t)
	s := start(t, sqliteURL(t))
	subject := s.person("person@example.test")
	c := s.register("openid-client.md")
	program := nodeProgram(t, "openid-client.mjs", "openid-client.md",
		"https://id.example.test", s.URL, "'YOUR_CLIENT_ID'", "'"+c.ID+"'",
		"'YOUR_CLIENT_SECRET')", "'"+c.Secret+"', undefined, { execute: [client.allowInsecureRequests] })")
	got := s.visitor("person@example.test").converse(program)
	want := map[string]any{
		"ID token": subject, "refreshed": subject, "person": "person@example.test", "own scope": "data:read",
		"active": true, "subject": subject, "active after revocation": false,
		"code again": map[string]any{"error": "invalid_grant", "status": 400.0},
		"signed out": map[string]any{"error": "login_required"},
		"hybrid":     subject, "implicit": subject + " person@example.test",
	}
	if diff := cmp.Diff(want, map[string]any{
		"ID token": dig(got, "idToken", "sub"), "refreshed": dig(got, "refreshed", "sub"),
		"person": dig(got, "person", "email"), "own scope": claimsOf(t, dig(got, "own", "access_token"))["scope"],
		"active": got["active"], "subject": got["subject"], "active after revocation": got["activeAfterRevocation"],
		"code again": got["reused"], "signed out": got["refused"], "hybrid": got["hybrid"], "implicit": got["implicit"],
	}); diff != "" {
		t.Errorf("openid-client found (-want +got):\n%s", diff)
	}
}

// Rule: DISC-8
func TestOAuth4WebAPIWorksAsItsGuideSays(t *testing.T) {
	nodeModules(t)
	s := start(t, sqliteURL(t))
	subject := s.person("person@example.test")
	c := s.register("oauth4webapi.md")
	program := nodeProgram(t, "oauth4webapi.mjs", "oauth4webapi.md",
		"https://id.example.test", s.URL, "YOUR_CLIENT_ID", c.ID,
		"const options = {}", "const options = { [oauth.allowInsecureRequests]: true }")
	got := s.visitor("person@example.test").converse(program)
	want := map[string]any{
		"subject": subject, "person": "person@example.test", "caller": subject, "caller's client": c.ID, "rotated": true,
		"revoked": map[string]any{"error": "invalid_grant", "status": 400.0}, "stranger": 401.0,
	}
	if diff := cmp.Diff(want, map[string]any{
		"subject": got["sub"], "person": dig(got, "person", "email"), "caller": dig(got, "caller", "sub"),
		"caller's client": dig(got, "caller", "client_id"), "rotated": got["rotated"],
		"revoked": got["dead"], "stranger": dig(got, "refused", "status"),
	}); diff != "" {
		t.Errorf("oauth4webapi found (-want +got):\n%s", diff)
	}
}
