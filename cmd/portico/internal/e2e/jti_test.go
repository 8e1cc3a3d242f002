package e2e

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const accountsPath = "/authentication/v2/service-accounts"

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
	r := &robot{site: s, owner: s.client("--type", "service", "--scope",
		"data:read application:service_account:write application:service_account_key:write")}
	s.commandJSON(r, "", "service-account", "create", "--client", r.owner.ID, "--name", "robot")
	s.commandJSON(r, "", "service-account", "key", "create", r.AccountID)
	return r
}

// sign returns an assertion with a jti, or "" for none.
func (r *robot) sign(jti string) string {
	r.Helper()
	block, _ := pem.Decode([]byte(r.PrivateKey))
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	r.must(err)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: r.KID}},
		nil)
	r.must(err)
	claims := map[string]any{
		"iss": r.owner.ID, "sub": r.AccountID, "aud": r.TokenURL, "scope": []string{"data:read"},
		"exp": time.Now().Add(4 * time.Minute).Unix(),
	}
	if jti != "" {
		claims["jti"] = jti
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	r.must(err)
	return text
}

func (r *robot) exchange(assertion string) answer {
	return r.token(r.owner, "grant_type", jwtBearer, "assertion", assertion)
}

// Rule: EXCHANGE-10
func TestAUsedAssertionStaysUsedWhenTheServerIsKilled(t *testing.T) {
	t.Parallel()
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

// Rule: EXCHANGE-4
func TestTwoServersTakeAnAssertionOnce(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		both := twinsOn(t, database)
		r := both[0].robot()
		assertion := r.sign("one")
		won, lost := split(t, atOnce(tries, func(i int) answer {
			return both[i%2].token(r.owner, "grant_type", jwtBearer, "assertion", assertion)
		}))
		if len(won) != 1 || len(lost) != tries-1 {
			t.Errorf("%d of %d succeeded", len(won), tries)
		}
	})
}

// Rule: ACCOUNT-4
func TestTwoServersKeepToTheLimitsOfServiceAccounts(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		both := twinsOn(t, database)
		c := both[0].client("--type", "service",
			"--scope", "application:service_account:write", "--scope", "application:service_account_key:write")
		token := both[0].token(c, "grant_type", "client_credentials").text("access_token")
		var post func(s *site, path, body string) answer
		post = func(s *site, path, body string) answer {
			r, err := http.NewRequest(http.MethodPost, s.URL+path, strings.NewReader(body))
			if err != nil {
				return answer{}
			}
			r.Header.Set("Authorization", "Bearer "+token)
			if body != "" {
				r.Header.Set("Content-Type", "application/json")
			}
			got, _ := try(s.plain, r)
			if got.Status == http.StatusServiceUnavailable { // on a busy machine some are told to come again
				return post(s, path, body)
			}
			return got
		}
		created := func(answers []answer) (made []answer) {
			for _, a := range answers {
				if a.Status == http.StatusCreated {
					made = append(made, a)
				} else if a.Status != http.StatusForbidden || a.text("title") != "limit_exceeded" {
					t.Errorf("%d %s", a.Status, a.Body)
				}
			}
			return made
		}
		accounts := created(atOnce(tries, func(i int) answer {
			return post(both[i%2], accountsPath, `{"name":"robot-`+strconv.Itoa(i)+`"}`)
		}))
		if len(accounts) != 10 {
			t.Fatalf("%d accounts were made", len(accounts))
		}
		keys := accountsPath + "/" + accounts[0].text("serviceAccountId") + "/keys"
		if made := created(atOnce(tries, func(i int) answer { return post(both[i%2], keys, "") })); len(made) != 3 {
			t.Errorf("%d keys were made", len(made))
		}
	})
}
