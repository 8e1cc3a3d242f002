package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const serviceAccountGuide = "service-accounts.md"

// machine is a service account that was set up with the guide's own commands.
type machine struct {
	*site
	owner     client
	accountID string
	kid       string
	keyFile   string
	secret    string // file with the client's secret
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	s := start(t, sqliteURL(t))
	dir := t.TempDir()
	m := &machine{site: s, keyFile: filepath.Join(dir, "key.json"), secret: filepath.Join(dir, "secret.txt")}
	lines := strings.Split(snippet(t, serviceAccountGuide, "sh", 1), "\n")
	if len(lines) != 3 {
		t.Fatalf("the guide sets up with %d commands", len(lines))
	}
	s.commandJSON(&m.owner, "", words(lines[0])[1:]...)
	var account struct {
		ID string `json:"service_account_id"`
	}
	s.commandJSON(&account, "", words(strings.ReplaceAll(lines[1], "YOUR_CLIENT_ID", m.owner.ID))[1:]...)
	m.accountID = account.ID
	m.kid = strings.TrimSpace(s.command("",
		words(strings.NewReplacer("ACCOUNT_ID", m.accountID, "key.json", m.keyFile).Replace(lines[2]))[1:]...))
	s.must(os.WriteFile(m.secret, []byte(m.owner.Secret+"\n"), 0o600))
	return m
}

// token runs the guide's command for a shell.
func (m *machine) token() string {
	m.Helper()
	line := snippet(m, serviceAccountGuide, "sh", 2)
	line = strings.TrimSuffix(strings.TrimPrefix(line, "TOKEN=$("), ")")
	line = strings.NewReplacer("key.json", m.keyFile, "secret.txt", m.secret).Replace(line)
	return strings.TrimSpace(m.command("", words(line)[1:]...))
}

// speaksFor returns the subject that user info knows for a token, "" when the
// token is not taken.
func (m *machine) speaksFor(token string) string {
	m.Helper()
	return m.userInfo(token).text("sub")
}

func TestAScriptGetsATokenAsTheGuideSays(t *testing.T) {
	m := newMachine(t)
	token := m.token()
	if got := m.speaksFor(token); got != m.accountID {
		t.Errorf("the token speaks for %q, not for %s", got, m.accountID)
	}
	m.command("", "service-account", "key", "disable", m.accountID, m.kid)
	m.within(patience, func() bool { return m.speaksFor(token) == "" }, "the token outlives its key")
	m.command("", "service-account", "key", "enable", m.accountID, m.kid)
	fresh := m.token()
	m.command("", "service-account", "disable", m.accountID)
	m.within(patience, func() bool { return m.speaksFor(fresh) == "" }, "the token outlives its account")
}

func TestNodeGetsATokenAsTheGuideSays(t *testing.T) {
	if testing.Short() {
		t.Skip("needs Node.js, which -short leaves out")
	}
	m := newMachine(t)
	program := snippet(t, serviceAccountGuide, "js", 1, "YOUR_CLIENT_SECRET", m.owner.Secret, "key.json", m.keyFile)
	file := filepath.Join(t.TempDir(), "main.mjs")
	m.must(os.WriteFile(file, []byte(program+"\nconsole.log(JSON.stringify(answer))\n"), 0o600))
	output, err := exec.Command("node", append(nodeFlags(t), file)...).CombinedOutput()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, output)
	}
	var answer struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int    `json:"expires_in"`
	}
	if err := json.Unmarshal(output, &answer); err != nil || answer.ExpiresIn != 3600 {
		t.Fatalf("node got %s", output)
	}
	if got := m.speaksFor(answer.AccessToken); got != m.accountID {
		t.Errorf("the token speaks for %q, not for %s", got, m.accountID)
	}
}

// Rule: ACCOUNT-14
func TestNoPrivateKeyAndNoAssertionIsLogged(t *testing.T) {
	m := newMachine(t)
	m.token()
	m.token()
	text, _ := m.log.read()
	if !strings.Contains(text, tokenPath) {
		t.Fatalf("the log does not even name the route: %s", text)
	}
	content, err := os.ReadFile(m.keyFile)
	m.must(err)
	var key map[string]string
	m.must(json.Unmarshal(content, &key))
	for _, leak := range []string{"PRIVATE KEY", strings.Split(key["private_key"], "\n")[5], "eyJ", m.owner.Secret} {
		if strings.Contains(text, leak) {
			t.Errorf("the log holds %q", leak)
		}
	}
}
