package e2e

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/freeport"
)

const agentGuide = "oidc-agent.md"

// oidcAgent is an oidc-agent of its own, and what its commands need.
type oidcAgent struct {
	*site
	environ  []string
	password string // file with the one that seals what it keeps
	examples []string
}

// newOIDCAgent starts one for the site; it ends with the test.
func newOIDCAgent(t *testing.T, s *site) *oidcAgent {
	t.Helper()
	if testing.Short() {
		t.Skip("needs oidc-agent, which -short leaves out")
	}
	if _, err := exec.LookPath("oidc-agent"); err != nil {
		t.Fatal("oidc-agent is missing: install it (apt-get install oidc-agent-cli); go test -short leaves out what needs it")
	}
	dir := t.TempDir()
	a := &oidcAgent{site: s, password: filepath.Join(dir, "password")}
	s.must(os.WriteFile(a.password, []byte("seals\n"), 0o600))
	socket := filepath.Join(dir, "socket")
	s.must(os.Mkdir(filepath.Join(dir, "kept"), 0o700))
	a.environ = append(os.Environ(), "HOME="+dir, "OIDC_CONFIG_DIR="+filepath.Join(dir, "kept"), "OIDC_SOCK="+socket)
	cmd := exec.Command("oidc-agent", "--console", "--socket-path="+socket)
	cmd.Env = a.environ
	s.must(cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	})
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(socket); err == nil {
			return a
		}
	}
	t.Fatal("oidc-agent does not start")
	return nil
}

// guided is the guide's n-th command for a shell, with more flags at its end.
func (a *oidcAgent) guided(n int, flags string) *exec.Cmd {
	a.Helper()
	command := strings.TrimSpace(snippet(a, agentGuide, "sh", n, a.examples...)) + flags
	cmd := exec.Command("sh", "-c", "exec "+command)
	cmd.Env = a.environ
	return cmd
}

var anAddress = regexp.MustCompile(`https?://\S+authorize\S+`)

// signIn runs the guide's oidc-gen, whose address the visitor goes to, and
// returns what the agent tells the browser.
func (a *oidcAgent) signIn(v *visitor) page {
	a.Helper()
	cmd := a.guided(2, " --no-url-call --pw-file="+a.password)
	out, err := cmd.StderrPipe()
	a.must(err)
	a.must(cmd.Start())
	giveUp := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer giveUp.Stop()
	var told page
	for lines := bufio.NewScanner(out); lines.Scan(); {
		address := anAddress.FindString(lines.Text())
		if address == "" {
			continue
		}
		told, err = v.through(v.open(address))
		a.must(err)
		if strings.Contains(told.Body, "Failed") { // oidc-gen would go on asking the agent for a minute
			_ = cmd.Process.Kill()
		}
	}
	if err := cmd.Wait(); err != nil {
		a.Logf("oidc-gen ended: %v", err)
	}
	return told
}

// said is what a command prints, which must succeed.
func (a *oidcAgent) said(cmd *exec.Cmd) string {
	a.Helper()
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		a.Fatalf("%s: %v: %s", cmd, err, complaints.String())
	}
	return strings.TrimSpace(string(out))
}

// Rule: DISC-8
func TestOIDCAgentWorksAsItsGuideSays(t *testing.T) {
	t.Parallel()
	s := start(t, sqliteURL(t))
	a := newOIDCAgent(t, s)
	subject := s.person("person@example.test")
	at := "http://localhost:" + freeport.Take(t)
	c := s.register(agentGuide)
	a.examples = []string{"https://id.example.test", s.URL, "http://localhost:4242", at, "YOUR_CLIENT_ID", c.ID}
	v := s.visitor("person@example.test")
	v.goes = []string{at}
	if told := a.signIn(v); told.Status != http.StatusOK || strings.Contains(told.Body, "Failed") {
		t.Fatalf("the agent says %s", told.Body)
	}
	if got := (answer{Body: a.said(a.guided(3, ""))}); got.text("sub") != subject ||
		got.text("email") != "person@example.test" {
		t.Errorf("user info: %s", got.Body)
	}

	show := exec.Command("oidc-token", "portico")
	show.Env = a.environ
	token := a.said(show)
	if got := s.userInfo(token); got.Status != http.StatusOK {
		t.Errorf("before signing out: %d %s", got.Status, got.Body)
	}
	a.said(a.guided(4, " --confirm-yes --pw-file="+a.password))
	if got := s.userInfo(token); got.Status != http.StatusUnauthorized {
		t.Errorf("after signing out: %d %s", got.Status, got.Body)
	}
}

// A web application has a secret, which the agent of the guide does not know.
//
// Rule: DISC-8
func TestOIDCAgentWithoutTheSecretOfItsClientGetsNothing(t *testing.T) {
	s := start(t, sqliteURL(t))
	a := newOIDCAgent(t, s)
	s.person("person@example.test")
	at := "http://localhost:" + freeport.Take(t)
	c := s.client("--redirect-uri", at, "--scope", "openid profile email offline_access")
	a.examples = []string{"https://id.example.test", s.URL, "http://localhost:4242", at, "YOUR_CLIENT_ID", c.ID}
	v := s.visitor("person@example.test")
	v.goes = []string{at}
	if told := a.signIn(v); !strings.Contains(told.Body, "invalid_client") {
		t.Errorf("the agent says %s", told.Body)
	}
}
