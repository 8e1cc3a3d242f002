package e2e

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// former is a product that people move in from, at the address that stays.
type former struct {
	issuer string
	key    *rsa.PrivateKey
}

const formerKID = "the-key-of-before"

// ServeHTTP implements http.Handler: its addresses are no others' than its own.
func (f former) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	said := map[string]any{"issuer": f.issuer, "authorization_endpoint": f.issuer + "/former/auth",
		"token_endpoint": f.issuer + "/former/token", "jwks_uri": f.issuer + "/former/keys"}
	if r.URL.Path == "/former/keys" {
		said = map[string]any{"keys": []jose.JSONWebKey{
			{Key: f.key.Public(), KeyID: formerKID, Algorithm: "RS256", Use: "sig"}}}
	}
	_ = json.NewEncoder(w).Encode(said)
}

// idToken is one of the product for the person and the app.
func (f former) idToken(subject, app string) string {
	signer := must(jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256,
		Key: jose.JSONWebKey{Key: f.key, KeyID: formerKID}}, nil))
	now := time.Now()
	claims := must(json.Marshal(map[string]any{"iss": f.issuer, "sub": subject, "aud": app, "iat": now.Unix(),
		"exp": now.Add(time.Hour).Unix()}))
	return must(must(signer.Sign(claims)).CompactSerialize())
}

// Rule: KEY-14
func TestAServiceThatKnowsIssuerAndKeyOfBeforeNoticesNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := newSite(t, database)
		s.URL = "http://localhost:" + freeport.Take(t)
		before := former{s.URL, must(rsa.GenerateKey(rand.Reader, 2048))}
		there := httptest.NewServer(before)
		s.address.Store(there.Listener.Addr().String())
		ctx := oidc.ClientContext(t.Context(), &http.Client{Transport: s.wire})
		service := must(oidc.NewProvider(ctx, s.URL)).Verifier(&oidc.Config{ClientID: "wiki"})
		old := before.idToken("ann-of-before", "wiki")
		_, err := service.Verify(ctx, old) // for which it fetches the key
		s.must(err)
		there.Close()

		file := filepath.Join(t.TempDir(), "key.pem")
		der := must(x509.MarshalPKCS8PrivateKey(before.key))
		s.must(os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
		s.command("", "key", "import", file, "--kid", formerKID)
		wiki := client{ID: "wiki", Secret: "a secret that stays as it was, too", RedirectURIs: []string{callback}}
		s.imports(document(t,
			map[string]any{"user": map[string]any{"id": "ann-of-before", "email": "ann@example.test",
				"password_hash": movedHashes["bcrypt"]}},
			map[string]any{"client": map[string]any{"client_id": wiki.ID, "type": "web", "client_secrets": []string{wiki.Secret},
				"redirect_uris": wiki.RedirectURIs}}))
		s.spawn()
		code, err := s.visitor("ann@example.test").tryCode(wiki, "scope", "openid")
		s.must(err)
		said, err := service.Verify(ctx, s.redeem(wiki, code).text("id_token"))
		if err != nil || said.Subject != "ann-of-before" {
			t.Errorf("the service is told of %+v, %v", said, err)
		}
		service = must(oidc.NewProvider(ctx, s.URL)).Verifier(&oidc.Config{ClientID: "wiki"})
		if _, err := service.Verify(ctx, old); err != nil {
			t.Errorf("who fetches keys today can't verify what was signed before: %v", err)
		}
	})
}
