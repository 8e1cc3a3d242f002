package e2e

import (
	"html"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// copied is the blocks of a guide as a developer copies them from the app's
// page, with the secret put where it belongs and nothing else changed.
func (v *visitor) copied(id, guide, secret string) []string {
	v.Helper()
	got := v.fetch("GET", "/apps/"+id+"/guides/"+guide)
	if got.Status != http.StatusOK || strings.Contains(got.Body, `id="missing"`) {
		v.Fatalf("%s: %d\n%s", guide, got.Status, got.Body)
	}
	var blocks []string
	for _, part := range strings.Split(after(got.Body, `id="guide"`), "<code ")[1:] {
		_, text, _ := strings.Cut(part, ">")
		text, _, _ = strings.Cut(text, "</code>")
		blocks = append(blocks, strings.ReplaceAll(html.UnescapeString(text), "YOUR_CLIENT_SECRET", secret))
	}
	return blocks
}

// newApp is a web app that somebody registers in the portal.
func (s *site) newApp(callback string) (dev *visitor, id, secret string) {
	s.Helper()
	s.person("dev@example.test")
	dev = s.signedIn("dev@example.test")
	id, created := dev.registered("web", "redirect_uris", callback)
	secret, _, _ = strings.Cut(after(created.Body, `id="revealed-client-secret"`, ">"), "<")
	return dev, id, secret
}

// Rule: PORTAL-12
func TestOpenIDClientWorksWithWhatThePageSays(t *testing.T) {
	modules, flags := nodeModules(t), nodeFlags(t)
	s := start(t, sqliteURL(t))
	subject := s.person("person@example.test")
	dev, id, secret := s.newApp(callback)
	blocks := dev.copied(id, "node", secret)
	if len(blocks) != 4 {
		t.Fatalf("%d blocks", len(blocks))
	}
	dir := t.TempDir()
	program := "import { open, done } from './talk.mjs'\n" + blocks[0] + "\n" + blocks[1] +
		"\nconst currentUrl = await open(signIn)\n" + blocks[2] + "\n" + blocks[3] +
		"\ndone({ sub: tokens.claims().sub, person: person.email, own: own.token_type })\n"
	s.must(os.WriteFile(filepath.Join(dir, "main.mjs"), []byte(program), 0o600))
	s.must(os.WriteFile(filepath.Join(dir, "talk.mjs"), must(os.ReadFile("testdata/node/talk.mjs")), 0o600))
	s.must(os.Symlink(modules, filepath.Join(dir, "node_modules")))
	got := s.visitor("person@example.test").withPassword().converse(exec.Command("node",
		append(flags, filepath.Join(dir, "main.mjs"))...))
	if diff := cmp.Diff(map[string]any{"sub": subject, "person": "person@example.test", "own": "bearer"},
		got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: PORTAL-12
func TestAuthlibWorksWithWhatThePageSays(t *testing.T) {
	interpreter := python(t)
	s := start(t, sqliteURL(t))
	subject := s.person("person@example.test")
	dev, id, secret := s.newApp(callback)
	blocks := dev.copied(id, "python", secret)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks", len(blocks))
	}
	program := `import json, sys

def open_(address):
    print(json.dumps({'open': address}), flush=True)
    return sys.stdin.readline().strip()

` + blocks[0] + "\n" + blocks[1] + "\ncurrent_url = open_(sign_in)\n" + blocks[2] +
		"\nprint(json.dumps({'done': {'sub': claims['sub'], 'person': person['email']}}), flush=True)\n"
	file := filepath.Join(t.TempDir(), "main.py")
	s.must(os.WriteFile(file, []byte(program), 0o600))
	cmd := exec.Command(interpreter, file)
	cmd.Env = append(os.Environ(), "AUTHLIB_INSECURE_TRANSPORT=1")
	got := s.visitor("person@example.test").withPassword().converse(cmd)
	if diff := cmp.Diff(map[string]any{"sub": subject, "person": "person@example.test"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: PORTAL-12
func TestApacheWorksWithWhatThePageSays(t *testing.T) {
	a := newApache(t)
	s, certificate := behindTLS(t, sqliteURL(t))
	s.must(os.WriteFile(filepath.Join(a.dir, "ca.pem"), certificate, 0o644))
	s.person("person@example.test")
	dev, id, secret := s.newApp(a.URL + "/wiki/callback")
	edit, err := dev.open(s.URL + "/apps/" + id + "/edit")
	s.must(err)
	_, err = dev.submit(edit, "app-form", form("name", "Wiki", "profile", "standard", "redirect_uris",
		a.URL+"/wiki/callback",
		"post_logout_redirect_uris", a.URL+"/bye", "scopes.openid", "on", "scopes.email", "on", "scopes.profile", "on"))
	s.must(err)
	blocks := dev.copied(id, "apache", secret)
	a.run(t, strings.ReplaceAll(blocks[0], "PASSPHRASE", "long-and-random"))
	v := s.visitor("person@example.test").withPassword()
	v.goes = []string{a.URL + "/"}
	wiki, err := v.through(v.open(a.URL + "/wiki/"))
	s.must(err)
	if wiki.Status != http.StatusOK || !strings.Contains(wiki.Body, "the wiki") ||
		wiki.Header.Get("X-Person") != "person@example.test" {
		t.Errorf("the wiki: %d for %q at %s\n%s", wiki.Status, wiki.Header.Get("X-Person"), wiki.At, wiki.Body)
	}
}

// Rule: PORTAL-12
func TestCurlWorksWithWhatThePageSays(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("curl is missing: install it (apt-get install curl)")
	}
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	dev, id, secret := s.newApp(callback)
	blocks := dev.copied(id, "curl", secret)
	p, err := s.visitor("person@example.test").withPassword().throughOpen(blocks[1])
	s.must(err)
	run := func(command string, env ...string) answer {
		cmd := exec.Command("sh", "-c", command)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.Output()
		s.must(err)
		return answer{Body: string(out)}
	}
	tokens := run(blocks[2], "CODE="+p.Away.Query().Get("code"))
	if got := run(blocks[3], "ACCESS_TOKEN="+tokens.text("access_token")); got.text("email") != "person@example.test" {
		t.Errorf("tokens %s\nuser info %s", tokens.Body, got.Body)
	}
	if got := run(blocks[4]); got.text("access_token") == "" {
		t.Errorf("without a person: %s", got.Body)
	}
}

// throughOpen opens an address and answers what is asked.
func (v *visitor) throughOpen(address string) (page, error) { return v.through(v.open(address)) }
