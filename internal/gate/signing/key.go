package signing

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

const (
	keyBits   = 2048
	sealLabel = "signing key"
)

// The kinds of tokens, by the typ of their header.
const (
	typeAccess = "at+jwt"     // RFC 9068, 2.1
	typePlain  = "JWT"        // RFC 7519, 5.1: ID tokens, and access tokens for those who do not know at+jwt
	typeLogout = "logout+jwt" // OpenID Connect Back-Channel Logout 1.0, 2.4
)

// key is a signing key that was read once and is ready for use. It does not
// change.
type key struct {
	generation int
	kid        string
	createdAt  time.Time
	activeFrom time.Time
	public     *rsa.PublicKey
	private    *rsa.PrivateKey   // nil: it could not be opened
	headers    map[string]string // encoded, by token type
}

// makeKey returns a fresh key, its private half sealed. The name of a key is
// its thumbprint (RFC 7638), so two keys never share one.
func (s *KeySet) makeKey(generation int, createdAt, activeFrom time.Time) (storage.SigningKey, error) {
	private, err := rsa.GenerateKey(s.with.Ambient.Random(), keyBits)
	if err != nil {
		return storage.SigningKey{}, err
	}
	thumbprint, err := (&jose.JSONWebKey{Key: &private.PublicKey}).Thumbprint(crypto.SHA256)
	if err != nil {
		return storage.SigningKey{}, err
	}
	public, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		return storage.SigningKey{}, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return storage.SigningKey{}, err
	}
	kid := base64.RawURLEncoding.EncodeToString(thumbprint)
	return storage.SigningKey{
		Generation: generation, KID: kid,
		Sealed: s.with.Ring.Seal(sealLabel, secret, []byte(kid)), Public: public,
		CreatedAt: createdAt, ActiveFrom: activeFrom,
	}, nil
}

// openKey reads a stored key. A private half that does not open is no failure:
// a replica that has not been given the newest secret still publishes the key.
func openKey(ring *sealing.Ring, row storage.SigningKey) (*key, error) {
	k := &key{
		generation: row.Generation, kid: row.KID,
		createdAt: row.CreatedAt, activeFrom: row.ActiveFrom,
	}
	public, err := x509.ParsePKIXPublicKey(row.Public)
	if err != nil {
		return nil, fmt.Errorf("signing key %s: %w", row.KID, err)
	}
	var isRSA bool
	if k.public, isRSA = public.(*rsa.PublicKey); !isRSA {
		return nil, fmt.Errorf("signing key %s is %T, not RSA", row.KID, public)
	}
	if secret, _, err := ring.Open(sealLabel, row.Sealed, []byte(row.KID)); err == nil {
		return k, k.mayUse(secret)
	}
	return k, nil
}

// mayUse makes the key sign with its private half. Parsing precomputes the CRT
// values, without which each signature would cost four times as much.
func (k *key) mayUse(pkcs8 []byte) error {
	private, err := x509.ParsePKCS8PrivateKey(pkcs8)
	if err != nil {
		return fmt.Errorf("signing key %s: %w", k.kid, err)
	}
	var isRSA bool
	if k.private, isRSA = private.(*rsa.PrivateKey); !isRSA {
		return fmt.Errorf("signing key %s is %T, not RSA", k.kid, private)
	}
	k.headers = map[string]string{}
	for _, typ := range []string{typeAccess, typePlain, typeLogout} {
		header := fmt.Sprintf(`{"alg":"RS256","kid":%q,"typ":%q}`, k.kid, typ)
		k.headers[typ] = base64.RawURLEncoding.EncodeToString([]byte(header))
	}
	return nil
}

// sign returns the payload as a compact JWS (RFC 7515, 7.1). A library would
// encode the header again for each token.
func (k *key) sign(typ string, payload []byte) (string, error) {
	input := append(make([]byte, 0, 2*len(payload)+600), k.headers[typ]...)
	input = base64.RawURLEncoding.AppendEncode(append(input, '.'), payload)
	digest := sha256.Sum256(input)
	signature, err := rsa.SignPKCS1v15(nil, k.private, crypto.SHA256, digest[:])
	if err != nil {
		return "", fmt.Errorf("signing: %w", err)
	}
	return string(base64.RawURLEncoding.AppendEncode(append(input, '.'), signature)), nil
}

// at returns the same key with another ActiveFrom.
func (k *key) at(activeFrom time.Time) *key {
	moved := *k
	moved.activeFrom = activeFrom
	return &moved
}
