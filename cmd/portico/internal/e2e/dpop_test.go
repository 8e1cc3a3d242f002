package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rules: DPOP-1, DPOP-5, DPOP-6, DPOP-8
func TestNodeLibrariesProveThatTheyHaveTheirKey(t *testing.T) {
	nodeModules(t)
	s := start(t, sqliteURL(t), "DPOP_NONCES=on")
	s.person("person@example.test")
	c := s.client("--redirect-uri", callback, "--scope", "openid email data:read", "--dpop-bound")
	program := nodeAsItIs(t, "dpop.mjs")
	program.Env = append(os.Environ(), "ISSUER="+s.URL, "CLIENT_ID="+c.ID, "CLIENT_SECRET="+c.Secret)
	got := s.visitor("person@example.test").converse(program)
	want := map[string]any{
		"type": "dpop", "refreshed": "dpop", "person": "person@example.test", "listed": 200.0, "bare": 401.0,
		"own": "dpop", "answer": 200.0, "retried": []any{"token"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("openid-client and oauth4webapi found (-want +got):\n%s", diff)
	}
}

// proofKey writes a P-256 key into a file.
func proofKey(t *testing.T) string {
	der := must(x509.MarshalPKCS8PrivateKey(must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))))
	file := filepath.Join(t.TempDir(), "dpop.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Rule: DPOP-12
func TestTheCommandLineProvesThatItHasItsKey(t *testing.T) {
	m := newMachine(t)
	m.command("", "client", "update", m.owner.ID, "--profile", "standard")
	token := strings.TrimSpace(m.command("", "service-account", "token", "--key", m.keyFile, "--client-secret-file",
		m.secret, "--dpop-key", proofKey(t)))
	if bound, _ := claimsOf(t, token)["cnf"].(map[string]any); bound["jkt"] == nil || m.speaksFor(token) != "" {
		t.Errorf("the token is bound to %v, and counts without a proof for %q", bound, m.speaksFor(token))
	}
}
