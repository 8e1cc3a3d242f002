package e2e

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// robot is a service account that signs for itself.
type robot struct {
	*site
	owner      client
	TokenURL   string `json:"token_url"`
	AccountID  string `json:"service_account_id"`
	KID        string `json:"kid"`
	PrivateKey string `json:"private_key"`
}

// robot makes a service account with a key.
func (s *site) robot() *robot {
	s.Helper()
	r := &robot{site: s, owner: s.client("--type", "service", "--scope", "data:read")}
	s.commandJSON(r, "", "service-account", "create", "--client", r.owner.ID, "--name", "robot")
	s.commandJSON(r, "", "service-account", "key", "create", r.AccountID)
	return r
}

// sign returns an assertion with a jti.
func (r *robot) sign(jti string) string {
	r.Helper()
	block, _ := pem.Decode([]byte(r.PrivateKey))
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	r.must(err)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: r.KID}}, nil)
	r.must(err)
	text, err := jwt.Signed(signer).Claims(map[string]any{
		"iss": r.owner.ID, "sub": r.AccountID, "aud": r.TokenURL, "scope": []string{"data:read"},
		"exp": time.Now().Add(4 * time.Minute).Unix(), "jti": jti,
	}).Serialize()
	r.must(err)
	return text
}

func (r *robot) exchange(assertion string) answer {
	return r.token(r.owner, "grant_type", jwtBearer, "assertion", assertion)
}

func TestAUsedAssertionStaysUsedWhenTheServerIsKilled(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := newSite(t, database)
		p := s.spawn()
		r := s.robot()
		var used []string
		for i := range 20 {
			used = append(used, r.sign(strconv.Itoa(i)))
			if got := r.exchange(used[i]); got.Status != http.StatusOK {
				t.Fatalf("a fresh assertion: %d %s", got.Status, got.Body)
			}
		}
		p.kill()
		s.spawn()
		for _, assertion := range used {
			if got := r.exchange(assertion); !got.is(http.StatusBadRequest, "invalid_grant") {
				t.Errorf("an assertion that was used before the kill: %d %s", got.Status, got.Body)
			}
		}
		if got := r.exchange(r.sign("fresh")); got.Status != http.StatusOK {
			t.Errorf("a fresh assertion after the kill: %d %s", got.Status, got.Body)
		}
	})
}
