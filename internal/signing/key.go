package signing

import (
	"crypto"
	"crypto/rsa"
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
	typeID     = "JWT"        // OpenID Connect Core 1.0, 2
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
	signers    map[string]jose.Signer // by token type; nil: the private half could not be opened
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
		k.signers, err = signersOf(row.KID, secret)
		return k, err
	}
	return k, nil
}

// signersOf returns a signer for each type of token. Parsing precomputes the
// CRT values, without which each signature would cost four times as much.
func signersOf(kid string, pkcs8 []byte) (map[string]jose.Signer, error) {
	private, err := x509.ParsePKCS8PrivateKey(pkcs8)
	if err != nil {
		return nil, fmt.Errorf("signing key %s: %w", kid, err)
	}
	use := jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: private, KeyID: kid}}
	signers := map[string]jose.Signer{}
	for _, typ := range []string{typeAccess, typeID, typeLogout} {
		signer, err := jose.NewSigner(use, (&jose.SignerOptions{}).WithType(jose.ContentType(typ)))
		if err != nil {
			return nil, fmt.Errorf("signing key %s: %w", kid, err)
		}
		signers[typ] = signer
	}
	return signers, nil
}

// at returns the same key with another ActiveFrom.
func (k *key) at(activeFrom time.Time) *key {
	moved := *k
	moved.activeFrom = activeFrom
	return &moved
}
