package signing

import (
	"cmp"
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

const (
	keyBits   = 2048
	sealLabel = "signing key"
)

// Sealed are the labels under which something is kept.
func Sealed() map[storage.SealedColumn][]string {
	return map[storage.SealedColumn][]string{
		storage.SealedSigningKeys: {sealLabel}, storage.SealedOtherSigningKeys: {sealLabel},
	}
}

// The kinds of tokens, by the typ of their header.
const (
	typeAccess = "at+jwt"     // RFC 9068, 2.1
	typePlain  = "JWT"        // RFC 7519, 5.1: ID tokens, and access tokens for those who do not know at+jwt
	typeLogout = "logout+jwt" // OpenID Connect Back-Channel Logout 1.0, 2.4

	typeIntrospection = "token-introspection+jwt" // RFC 9701, 5
)

// key is a signing key that was read once and is ready for use. It does not
// change.
type key struct {
	family
	generation int
	kid        string
	createdAt  time.Time
	activeFrom time.Time
	public     crypto.PublicKey
	private    crypto.Signer     // nil: it could not be opened
	headers    map[string]string // encoded, by token type
}

// makeKey returns a fresh key, its private half sealed. The name of a key is
// its thumbprint (RFC 7638), so two keys never share one.
func (s *KeySet) makeKey(f family, generation int, createdAt, activeFrom time.Time) (storage.SigningKey, error) {
	private, err := f.make(s.with.Ambient.Random())
	if err != nil {
		return storage.SigningKey{}, err
	}
	row, err := s.seal(f, private, "")
	row.Generation, row.CreatedAt, row.ActiveFrom = generation, createdAt, activeFrom
	return row, err
}

// seal returns what is kept of a key; without a kid it has its thumbprint for a name.
func (s *KeySet) seal(f family, private crypto.Signer, kid string) (storage.SigningKey, error) {
	thumbprint, err := (&jose.JSONWebKey{Key: private.Public()}).Thumbprint(crypto.SHA256)
	if err != nil {
		return storage.SigningKey{}, err
	}
	public, err := x509.MarshalPKIXPublicKey(private.Public())
	if err != nil {
		return storage.SigningKey{}, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return storage.SigningKey{}, err
	}
	kid = cmp.Or(kid, base64.RawURLEncoding.EncodeToString(thumbprint))
	return storage.SigningKey{
		Algorithm: f.algorithm, KID: kid, Sealed: s.with.Ring.Seal(sealLabel, secret, []byte(kid)), Public: public,
	}, nil
}

// openKey reads a stored key. A private half that does not open is no failure:
// a replica that has not been given the newest secret still publishes the key.
func openKey(ring *sealing.Ring, of family, row storage.SigningKey) (_ *key, err error) {
	k := &key{
		family: of, generation: row.Generation, kid: row.KID,
		createdAt: row.CreatedAt, activeFrom: row.ActiveFrom,
	}
	if k.public, err = x509.ParsePKIXPublicKey(row.Public); err != nil {
		return nil, fmt.Errorf("signing key %s: %w", row.KID, err)
	}
	if !of.fits(k.public) {
		return nil, fmt.Errorf("signing key %s is %T, which is not for %s", row.KID, k.public, of.algorithm)
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
	var signs bool
	if k.private, signs = private.(crypto.Signer); !signs || !k.fits(k.private.Public()) {
		return fmt.Errorf("signing key %s is %T, which is not for %s", k.kid, private, k.algorithm)
	}
	k.headers = map[string]string{}
	for _, typ := range []string{typeAccess, typePlain, typeLogout, typeIntrospection, jwt.TypeVouching} {
		header := fmt.Sprintf(`{"alg":%q,"kid":%q,"typ":%q}`, k.algorithm, k.kid, typ)
		k.headers[typ] = base64.RawURLEncoding.EncodeToString([]byte(header))
	}
	return nil
}

// compact returns the payload as a compact JWS (RFC 7515, 7.1). A library would
// encode the header again for each token.
func (k *key) compact(random io.Reader, typ string, payload []byte) (string, error) {
	input := append(make([]byte, 0, 2*len(payload)+600), k.headers[typ]...)
	input = base64.RawURLEncoding.AppendEncode(append(input, '.'), payload)
	signature, err := k.sign(random, k.private, input)
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
