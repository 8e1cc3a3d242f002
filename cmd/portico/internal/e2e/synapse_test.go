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

// synapse is a homeserver, and the token of the person who signed in to it.
type synapse struct{ URL, token string }

func (m *synapse) run(t *testing.T, port, providers string) {
	t.Helper()
	dir := t.TempDir()
	own := strings.NewReplacer("AT", m.URL, "PORT",
		port).Replace(string(must(os.ReadFile("testdata/synapse/homeserver.yaml"))))
	lay(t, dir, map[string]string{
		"homeserver.yaml": own + providers + "\n", "signing.key": "ed25519 a_test " + strings.Repeat("A", 43), // 32 bytes
	})
	python := filepath.Join(installed(t, "synapse", "requirements.txt"), "bin", "python")
	cmd := exec.Command(python, "-m", "synapse.app.homeserver", "--config-path", "homeserver.yaml")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "AUTHLIB_INSECURE_TRANSPORT=1")
	runBeside(t, cmd, port)
}

// enter is what a client does to sign somebody in: the page behind gets a token to do so.
func (m *synapse) enter(v *visitor) (page, error) {
	return v.open(m.URL + "/_matrix/client/v3/login/sso/redirect/oidc-portico?redirectUrl=" +
		url.QueryEscape(m.URL+"/_matrix/static/client/login/"))
}

// see signs in with that token.
func (m *synapse) see(v *visitor, client page) (page, error) {
	token := client.At.Query().Get("loginToken")
	if token == "" {
		return client, nil
	}
	login, err := http.NewRequest(http.MethodPost, m.URL+"/_matrix/client/v3/login",
		strings.NewReader(`{"type":"m.login.token","token":"`+token+`"}`))
	if err != nil {
		return page{}, err
	}
	p, err := v.follow(login)
	if err != nil {
		return page{}, err
	}
	m.token = p.text("access_token")
	return m.whoami(v)
}

func (m *synapse) whoami(v *visitor) (page, error) {
	r, err := http.NewRequest(http.MethodGet, m.URL+"/_matrix/client/v3/account/whoami", nil)
	if err != nil {
		return page{}, err
	}
	r.Header.Set("Authorization", "Bearer "+m.token)
	return v.follow(r)
}

// Rule: DISC-8
func TestSynapseWorksAsItsGuideSays(t *testing.T) {
	onlyOthers(t)
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	port := freeport.Take(t)
	m := &synapse{URL: "http://localhost:" + port}
	examples := []string{"https://id.example.test", s.URL, "https://app.example.test", m.URL}
	c := s.register("synapse.md", examples...)
	examples = append(examples, url.QueryEscape("https://app.example.test"), url.QueryEscape(m.URL), "YOUR_CLIENT_ID",
		c.ID, "YOUR_CLIENT_SECRET", c.Secret)
	m.run(t, port, snippet(t, "synapse.md", "yaml", 1, examples...))
	element := answer{Body: snippet(t, "synapse.md", "json", 1, examples...)}
	v := s.visitor("person@example.test")
	v.goes = []string{m.URL + "/"}
	v.uses(usage{
		client: c, bye: m.URL + "/_matrix/static/client/login/", shows: `"user_id":"@person:app.example.test"`,
		enter: func() (page, error) { return m.enter(v) },
		see:   func(client page) (page, error) { return m.see(v, client) },
		leave: func() (page, error) { return v.open(element.text("logout_redirect_url")) },
	})
	s.eventually("the homeserver is told who signed out", func() bool {
		p, err := m.whoami(v)
		return err == nil && p.Status == http.StatusUnauthorized
	})
}
