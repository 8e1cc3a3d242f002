package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// spring is a Spring application, compiled from its guide.
type spring struct{ classes, path string }

func newSpring(t *testing.T, examples ...string) *spring {
	t.Helper()
	dir, block := t.TempDir(), func(language string, n int) string {
		return snippet(t, "spring.md",
			language, n, examples...)
	}
	lay(t, dir, map[string]string{
		"SignIn.java": block("java", 1), "Api.java": block("java", 2),
		"App.java":         string(must(os.ReadFile("testdata/spring/App.java"))),
		"application.yaml": block("yaml", 1) + "\n---\n" + block("yaml", 2),
	})
	lay(t, dir, map[string]string{"Key.java": string(must(os.ReadFile("testdata/spring/Key.java")))})
	a := &spring{classes: dir, path: filepath.Join(installed(t, "spring", "pom.xml"), "*") + ":" + dir}
	sources := must(filepath.Glob(filepath.Join(dir, "*.java")))
	if said, err := exec.Command("javac", append([]string{"-parameters", "-d", dir, "-cp", a.path},
		sources...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return a
}

// run serves it; settings override those of the guide.
func (a *spring) run(t *testing.T, port string, settings ...string) {
	t.Helper()
	args := append([]string{"-XX:TieredStopAtLevel=1", "-cp", a.path, "app.App", "--server.address=127.0.0.1",
		"--server.port=" + port}, settings...)
	cmd := exec.Command("java", args...)
	cmd.Dir = a.classes
	runBeside(t, cmd, port)
}

// asks calls the API of a Spring application with a token.
func (s *site) asks(at, token string) answer {
	s.Helper()
	r, err := http.NewRequest(http.MethodGet, at+"/api/things", nil)
	s.must(err)
	r.Header.Set("Authorization", "Bearer "+token)
	got, err := try(s.plain, r)
	s.must(err)
	return got
}

// provesItself gets tokens by what a key signs: for the token endpoint, as Spring does by
// itself, where the client is registered for that, and for the issuer where Spring is
// told to.
func (a *spring) provesItself(t *testing.T, s *site) {
	t.Helper()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	private := string(must(json.Marshal(jose.JSONWebKey{Key: key, KeyID: "k1"})))
	legacy, strict := s.keyed(key, "--legacy-audience"), s.keyed(key)
	for _, one := range []struct {
		client, audience string
		good             bool
	}{{legacy, "", true}, {strict, s.URL, true}, {strict, "", false}} {
		program := exec.Command("java", "-XX:TieredStopAtLevel=1", "-cp", a.path, "app.Key")
		program.Env = append(os.Environ(), "ISSUER="+s.URL, "CLIENT_ID="+one.client, "PRIVATE_JWK="+private)
		if one.audience != "" {
			program.Env = append(program.Env, "AUDIENCE="+one.audience)
		}
		said, err := program.CombinedOutput()
		if got := strings.Contains(string(said), "Bearer [data:read]"); got != one.good || (err == nil) != one.good {
			t.Errorf("for %q: %v %s", one.audience, err, said)
		}
	}
}

// Rules: DISC-8, PROOF-6
func TestSpringWorksAsItsGuideSays(t *testing.T) {
	onlyOthers(t)
	s := start(t, sqliteURL(t))
	subject := s.person("person@example.test")
	port, other := freeport.Take(t), freeport.Take(t)
	at := "http://localhost:" + port
	c := s.register("spring.md", "https://app.example.test", at)
	a := newSpring(t, "https://id.example.test", s.URL, "YOUR_CLIENT_ID", c.ID, "YOUR_CLIENT_SECRET", c.Secret)
	a.run(t, port)

	v := s.visitor("person@example.test")
	v.goes = []string{at + "/"}
	v.uses(usage{
		client: c, bye: at + "/bye", shows: subject + " Demo Person person@example.test",
		enter: func() (page, error) { return v.open(at + "/") },
		leave: func() (page, error) { return v.presses(at + "/logout") },
	})

	service := s.client("--type", "service", "--scope", "data:read data:write")
	token := func(scope string) string {
		return s.token(service, "grant_type", "client_credentials", "scope", scope).text("access_token")
	}
	idToken := s.visitor("person@example.test").tokens(s.client()).text("id_token")
	for name, tt := range map[string]struct {
		token string
		want  int
	}{
		"a token with the scope": {token("data:read"), http.StatusOK},
		"a token without it":     {token("data:write"), http.StatusForbidden},
		"a forged token":         {token("data:read") + "x", http.StatusUnauthorized},
		"an ID token":            {idToken, http.StatusUnauthorized},
	} {
		if got := s.asks(at, tt.token); got.Status != tt.want {
			t.Errorf("%s: %d %s %s", name, got.Status, got.Header.Get("WWW-Authenticate"), got.Body)
		}
	}
	a.provesItself(t, s)
	a.run(t, other, "--spring.security.oauth2.resourceserver.jwt.audiences=https://other.example.test")
	got := s.asks("http://localhost:"+other, token("data:read"))
	if got.Status != http.StatusUnauthorized || !strings.Contains(got.Header.Get("WWW-Authenticate"), "aud") {
		t.Errorf("a foreign audience: %d %s", got.Status, got.Header.Get("WWW-Authenticate"))
	}
}
