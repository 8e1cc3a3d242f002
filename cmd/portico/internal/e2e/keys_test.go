package e2e

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"
)

// keyed registers a client that proves itself by the key, and returns its id.
func (s *site) keyed(key crypto.Signer, flags ...string) string {
	s.Helper()
	public, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k1"}}})
	s.must(err)
	file := filepath.Join(s.TempDir(), "keys.json")
	s.must(os.WriteFile(file, public, 0o600))
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Method string `json:"token_endpoint_auth_method"`
	}
	s.commandJSON(&made, "", append([]string{
		"client", "create", "--name", "Keyed", "--type", "web", "--profile", "standard", "--redirect-uri",
		"https://app.example.test/callback",
		"--scope", "openid email data:read", "--auth-method", "private_key_jwt", "--jwks", file,
	}, flags...)...)
	if made.Secret != "" || made.Method != "private_key_jwt" {
		s.Errorf("made %+v", made)
	}
	return made.ID
}

// runsKeyed lets a program of testdata/node be a client that proves itself by a P-256
// key of its own, and a person sign in to it. It returns what the program found.
func (s *site) runsKeyed(t *testing.T, name string, flags ...string) map[string]any {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	s.must(err)
	private, err := json.Marshal(jose.JSONWebKey{Key: key, KeyID: "k1"})
	s.must(err)
	program := nodeAsItIs(t, name)
	program.Env = append(os.Environ(), "ISSUER="+s.URL, "CLIENT_ID="+s.keyed(key, flags...),
		"PRIVATE_JWK="+string(private))
	return s.visitor("person@example.test").converse(program)
}

// Rules: PROOF-1, KEY-10
func TestNodeLibrariesProveThemselvesByAKey(t *testing.T) {
	t.Parallel()
	nodeModules(t)
	s := start(t, sqliteURL(t))
	subject := s.person("person@example.test")
	got := s.runsKeyed(t, "keys.mjs", "--id-token-alg", "ES256", "--access-token-alg", "ES256")
	want := map[string]any{"own": "data:read", "sub": subject, "active": true, "other": "data:read"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("openid-client and oauth4webapi found (-want +got):\n%s", diff)
	}
}

// Rules: PROOF-1, PAR-1, JAR-1, JARM-1, DPOP-1, DPOP-6, DPOP-8, FAPI-7
func TestNodeLibrariesSignInUnderFAPIMessageSigning(t *testing.T) {
	nodeModules(t)
	s := start(t, sqliteURL(t), "DPOP_NONCES=on")
	s.person("person@example.test")
	got := s.runsKeyed(t, "fapi.mjs", "--profile", "fapi-signed")
	want := map[string]any{
		"openidClient": map[string]any{
			"sent": "client_id request_uri", "type": "dpop", "rotated": false, "person": "person@example.test", "listed": 200.0,
		},
		"oauth4webapi": map[string]any{"type": "dpop", "person": "person@example.test", "own": "dpop", "told": true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("openid-client and oauth4webapi found (-want +got):\n%s", diff)
	}
}

// Rule: PROOF-6
func TestAuthlibProvesItselfByAKey(t *testing.T) {
	t.Parallel()
	interpreter := python(t)
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	s.must(err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	s.must(err)
	id := s.keyed(key, "--legacy-audience")
	program := exec.Command(interpreter, "-P", "testdata/authlib_key.py") // -P: authlib.py beside it is not the library
	program.Env = append(os.Environ(), "AUTHLIB_INSECURE_TRANSPORT=1", "ISSUER="+s.URL, "CLIENT_ID="+id,
		"PRIVATE_PEM="+string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	got := s.visitor("person@example.test").converse(program)
	if diff := cmp.Diff(map[string]any{"scope": "data:read", "type": "Bearer"}, got); diff != "" {
		t.Errorf("Authlib found (-want +got):\n%s", diff)
	}
}
