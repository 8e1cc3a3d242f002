package main

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// robot is a service account with a key.
type robot struct {
	tokenURL, clientID, accountID, kid string
	private                            *rsa.PrivateKey
}

// newRobot makes an account of the client and a key for it.
func newRobot(ctx context.Context, s *server, clientID string) (*robot, error) {
	made, err := s.command(ctx, "service-account", "create", "--client", clientID, "--name", "robot")
	if err != nil {
		return nil, err
	}
	account, _ := made["service_account_id"].(string)
	made, err = s.command(ctx, "service-account", "key", "create", account)
	if err != nil {
		return nil, err
	}
	r := &robot{clientID: clientID, accountID: account}
	r.tokenURL, _ = made["token_url"].(string)
	r.kid, _ = made["kid"].(string)
	text, _ := made["private_key"].(string)
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("the private key is no PEM")
	}
	r.private, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	return r, err
}

// assertion returns a signed assertion that is good for some minutes; with an
// empty jti it has none.
func (r *robot) assertion(jti string) (string, error) {
	now := time.Now()
	claims := map[string]any{
		"iss": r.clientID, "sub": r.accountID, "aud": r.tokenURL, "scope": []string{"data:read"},
		"iat": now.Unix(), "exp": now.Add(4 * time.Minute).Unix(),
	}
	if jti != "" {
		claims["jti"] = jti
	}
	header, err := segment(map[string]string{"alg": "RS256", "kid": r.kid})
	if err != nil {
		return "", err
	}
	payload, err := segment(claims)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256([]byte(header + "." + payload))
	signature, err := rsa.SignPKCS1v15(nil, r.private, crypto.SHA256, digest[:])
	return header + "." + payload + "." + base64.RawURLEncoding.EncodeToString(signature), err
}

func segment(v any) (string, error) {
	raw, err := json.Marshal(v)
	return base64.RawURLEncoding.EncodeToString(raw), err
}

// exchangeLoads returns the exchange of assertions for tokens: as most programs
// do it, and with a jti, which the server has to remember.
func exchangeLoads(ctx context.Context, s *server, service app) ([]load, error) {
	r, err := newRobot(ctx, s, service.id)
	if err != nil {
		return nil, err
	}
	exchange := func(name string, jti func() string) load {
		signed := &stock{sign: func() (string, error) { return r.assertion(jti()) }}
		return load{of: s, name: name, prepare: signed.fill, request: func(ctx context.Context) (*http.Request, error) {
			return s.post(service, s.paths.token, url.Values{
				"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {signed.take()},
			})(ctx)
		}}
	}
	return []load{
		exchange("assertion", func() string { return "" }),
		exchange("assertion with jti", rand.Text),
	}, nil
}
