package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rules: HANDON-1, HANDON-6
func TestLibrariesExchangeTokensAsTheirGuideSays(t *testing.T) {
	t.Parallel()
	nodeModules(t)
	interpreter := python(t)
	s := start(t, sqliteURL(t))
	subject := s.person("person@example.test")
	c := s.register("token-exchange.md")
	for line := range strings.Lines(snippet(t, "token-exchange.md", "sh", 2, "YOUR_CLIENT_ID", c.ID)) {
		s.command("", words(line)[1:]...)
	}
	front := s.client("--redirect-uri", callback, "--profile", "standard", "--scope", "openid")
	eventually(t, patience, "the resources are there", func() bool {
		return s.token(c, "grant_type", "client_credentials", "scope", "orders:read", "resource",
			"https://orders.example.test").Status == http.StatusOK
	})
	sent := s.signedIn("person@example.test").tokens(front, "scope", "openid orders:read invoices:read", "resource",
		"https://orders.example.test").text("access_token")

	node := nodeProgram(t, "exchange.mjs", "token-exchange.md", "https://id.example.test", s.URL, "'YOUR_CLIENT_ID'",
		"'"+c.ID+"'", "'YOUR_CLIENT_SECRET')", "'"+c.Secret+"', undefined, { execute: [client.allowInsecureRequests] })")
	program := weave(t, "exchange.py", "token-exchange.md", "https://id.example.test", s.URL, "YOUR_CLIENT_ID", c.ID,
		"YOUR_CLIENT_SECRET", c.Secret)
	file := filepath.Join(t.TempDir(), "main.py")
	s.must(os.WriteFile(file, []byte(program), 0o600))
	for name, cmd := range map[string]*exec.Cmd{"openid-client": node, "Authlib": exec.Command(interpreter, file)} {
		cmd.Env = append(os.Environ(), "AUTHLIB_INSECURE_TRANSPORT=1", "SENT="+sent)
		got := s.visitor("").converse(cmd)
		claims := claimsOf(t, got["token"])
		want := map[string]any{"scope": "invoices:read", "issued": "urn:ietf:params:oauth:token-type:access_token",
			"refresh": "", "sub": subject, "aud": "https://billing.example.test", "act": map[string]any{"sub": c.ID},
			"refused": "invalid_request"}
		if diff := cmp.Diff(want, map[string]any{"scope": got["scope"], "issued": got["issued"], "refresh": got["refresh"],
			"sub": claims["sub"], "aud": claims["aud"], "act": claims["act"],
			"refused": dig(got, "refused", "error")}); diff != "" {
			t.Errorf("%s found (-want +got):\n%s", name, diff)
		}
	}
}
