package upstreams

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"time"

	"github.com/go-jose/go-jose/v4"
	jose_jwt "github.com/go-jose/go-jose/v4/jwt"

	"github.com/portico-id/portico/storage"
)

const secretLabel = "secret of an upstream"

// seal is how the secret is kept.
func (u *Upstreams) seal(id, secret string) []byte {
	if secret == "" {
		return nil
	}
	return u.with.Ring.Seal(secretLabel, []byte(secret), []byte(id))
}

// secret is what this server proves itself with at the upstream; empty: nothing.
func (u *Upstreams) secret(upstream storage.Upstream, config Config) (string, error) {
	if upstream.Secret == nil {
		return "", nil
	}
	text, _, err := u.with.Ring.Open(secretLabel, upstream.Secret, []byte(upstream.ID))
	if err != nil || upstream.Kind != storage.UpstreamApple {
		return string(text), err
	}
	return appleSecret(text, config, u.with.Ambient.Now())
}

// Sealed are the labels under which something is kept, of directories too.
func Sealed() map[storage.SealedColumn][]string {
	return map[storage.SealedColumn][]string{
		storage.SealedUpstreams: {secretLabel}, storage.SealedRechecks: {refreshLabel}, storage.SealedHints: {hintLabel},
	}
}

// appleSecret signs, with the key in the PEM file that Apple gave, that it is us.
func appleSecret(file []byte, config Config, now time.Time) (string, error) {
	block, _ := pem.Decode(file)
	if block == nil {
		return "", causef("the secret is no PEM file")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return "", causef("the secret is no private key")
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return "", causef("the secret is no key for ES256")
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key,
		KeyID: config.KeyID}}, nil)
	if err != nil {
		return "", err
	}
	return jose_jwt.Signed(signer).Claims(map[string]any{"iss": config.TeamID, "sub": config.ClientID,
		"aud": config.Issuer, "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix()}).Serialize()
}
