// Package prooftest makes proofs of possession (RFC 9449) as clients do, good ones
// and bad ones.
package prooftest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/ambient"
)

// Key is what somebody proves that they have.
type Key struct {
	testing.TB
	Algorithm jose.SignatureAlgorithm
	Signer    crypto.Signer
	Ambient   *ambient.Source // what time they think it is
}

// New returns a fresh key for the algorithm.
func New(t testing.TB, source *ambient.Source, algorithm jose.SignatureAlgorithm) Key {
	t.Helper()
	k := Key{TB: t, Algorithm: algorithm, Ambient: source}
	var err error
	switch algorithm {
	case jose.ES256:
		k.Signer, err = ecdsa.GenerateKey(elliptic.P256(), source.Random())
	case jose.EdDSA:
		_, k.Signer, err = ed25519.GenerateKey(source.Random())
	default:
		k.Signer, err = rsa.GenerateKey(source.Random(), 2048)
	}
	k.must(err)
	return k
}

func (k Key) must(err error) {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
}

// Thumbprint names the key (RFC 7638).
func (k Key) Thumbprint() string {
	k.Helper()
	print, err := (&jose.JSONWebKey{Key: k.Signer.Public()}).Thumbprint(crypto.SHA256)
	k.must(err)
	return base64.RawURLEncoding.EncodeToString(print)
}

// Changes are members that are other than in a good proof; nil: they are missing.
type Changes map[string]any

// Proof is one for a request without an access token, changed.
func (k Key) Proof(method, url string, changes ...Changes) string {
	k.Helper()
	claims := map[string]any{"jti": k.Ambient.UID(), "htm": method, "htu": url, "iat": k.Ambient.Now().Unix()}
	return k.Sign(nil, changed(claims, changes))
}

// For is one for a request with the access token.
func (k Key) For(token, method, url string, changes ...Changes) string {
	k.Helper()
	sum := sha256.Sum256([]byte(token))
	own := Changes{"ath": base64.RawURLEncoding.EncodeToString(sum[:])}
	return k.Proof(method, url, append([]Changes{own}, changes...)...)
}

// Sign signs the claims under a good header, changed.
func (k Key) Sign(header Changes, claims map[string]any) string {
	k.Helper()
	head := changed(map[string]any{"typ": "dpop+jwt", "jwk": jose.JSONWebKey{Key: k.Signer.Public()}}, []Changes{header})
	options := &jose.SignerOptions{}
	for name, value := range head {
		options.WithHeader(jose.HeaderKey(name), value)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: k.Algorithm, Key: k.Signer}, options)
	k.must(err)
	payload, err := json.Marshal(claims)
	k.must(err)
	signed, err := signer.Sign(payload)
	k.must(err)
	text, err := signed.CompactSerialize()
	k.must(err)
	return text
}

// Use puts the token into the request, with a proof for it.
func (k Key) Use(r *http.Request, token, url string, changes ...Changes) {
	k.Helper()
	r.Header.Set("Authorization", "DPoP "+token)
	r.Header.Set("DPoP", k.For(token, r.Method, url, changes...))
}

func changed(members map[string]any, changes []Changes) map[string]any {
	for _, one := range changes {
		for name, value := range one {
			members[name] = value
			if value == nil {
				delete(members, name)
			}
		}
	}
	return members
}
