package e2e

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// runJupyterHub starts a hub, and its proxy: one that the hub starts itself can
// outlive it.
func runJupyterHub(t *testing.T, port, config string) {
	t.Helper()
	home, dir, hub, api := installed(t, "jupyterhub", "requirements.txt"), t.TempDir(), freeport.Take(t), freeport.Take(t)
	lay(t, dir, map[string]string{"jupyterhub_config.py": config +
		"\nc.JupyterHub.bind_url = 'http://127.0.0.1:" + port + "'\nc.JupyterHub.hub_port = " + hub +
		"\nc.ConfigurableHTTPProxy.should_start = False\nc.ConfigurableHTTPProxy.api_url = 'http://127.0.0.1:" + api + "'\n"})
	for _, program := range []struct {
		port string
		args []string
	}{
		{api, []string{"node_modules/.bin/configurable-http-proxy", "--ip=127.0.0.1", "--port=" + port,
			"--api-ip=127.0.0.1", "--api-port=" + api,
			"--default-target=http://127.0.0.1:" + hub}},
		{hub, []string{"bin/jupyterhub"}},
	} {
		cmd := exec.Command(filepath.Join(home, program.args[0]), program.args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "CONFIGPROXY_AUTH_TOKEN=between-the-two")
		runBeside(t, cmd, program.port)
	}
}

// Rule: DISC-8
func TestJupyterHubWorksAsItsGuideSays(t *testing.T) {
	onlyOthers(t)
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	port := freeport.Take(t)
	at := "http://localhost:" + port
	examples := []string{"https://id.example.test", s.URL, "https://app.example.test", at}
	c := s.register("jupyterhub.md", examples...)
	examples = append(examples, url.QueryEscape("https://app.example.test"), url.QueryEscape(at), "YOUR_CLIENT_ID", c.ID,
		"YOUR_CLIENT_SECRET", c.Secret)
	runJupyterHub(t, port, snippet(t, "jupyterhub.md", "python", 1, examples...))
	v := s.visitor("person@example.test")
	v.goes = []string{at + "/"}
	s.eventually("the proxy knows the hub", func() bool {
		p, err := v.open(at + "/hub/api")
		return err == nil && p.Status == http.StatusOK
	})
	v.uses(usage{
		client: c, bye: at + "/hub/login?next=%2Fhub%2F", shows: "person@example.test",
		enter: func() (page, error) { return v.open(at + "/hub/oauth_login?next=%2Fhub%2Fhome") },
		leave: func() (page, error) { return v.open(at + "/hub/logout") },
	})
}
