package signing

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/storage"
)

// Reasons of the faults of Import.
const (
	ReasonKey      = "invalid_key"
	ReasonKeyThere = "key_exists"
)

var kidPattern = pattern.Of(`^[A-Za-z0-9._~-]{1,100}$`)

// Import lets a private key from elsewhere sign from now on with the algorithm, under
// the name that it had there ("": its thumbprint): whoever knows it from before
// goes on to verify. The key before it stays published for the tokens that it has
// signed, and one that follows is made as ever. PEM has one key, of PKCS#8, PKCS#1 or
// SEC 1. Invalid (ReasonKey, ReasonAlgorithm); Conflict (ReasonKeyThere).
func (s *KeySet) Import(ctx context.Context, act storage.Act, algorithm, kid string, text []byte) (KeyInfo, error) {
	f, err := familyOf(algorithm)
	if err != nil {
		return KeyInfo{}, fault.New(fault.Invalid, ReasonAlgorithm, "No tokens are signed with this algorithm.")
	}
	private, err := readPEM(text)
	if err != nil {
		return KeyInfo{}, err
	}
	if err := f.takes(private); err != nil {
		return KeyInfo{}, err
	}
	v, err := s.withNext(ctx, act, f)
	if err != nil {
		return KeyInfo{}, err
	}
	row, err := s.seal(f, private, kid)
	if err != nil {
		return KeyInfo{}, err
	}
	if v.byKID[row.KID] != nil || !kidPattern().MatchString(row.KID) {
		return KeyInfo{}, fault.New(fault.Conflict, ReasonKeyThere,
			"There is a key of this name already, or it is none: a name has 1 to 100 letters, digits and . _ ~ -")
	}
	row.Generation, row.CreatedAt, row.ActiveFrom = v.lines[f.algorithm][0].generation+1, act.At, act.At
	if err := s.with.Store.AddSigningKey(ctx, act, row); err != nil {
		return KeyInfo{}, err
	}
	if v, err = s.withNext(ctx, act, f); err != nil {
		return KeyInfo{}, fmt.Errorf("making the next signing key: %w", err)
	}
	imported := v.byKID[row.KID]
	return describe(imported, imported), nil
}

// takes is Invalid for a key that the family can't sign with, or that is too weak.
func (f family) takes(private crypto.Signer) error {
	refuse := func(why string) error { return fault.New(fault.Invalid, ReasonKey, why) }
	if !f.fits(private.Public()) {
		return refuse("The key is of another kind than the algorithm signs with.")
	}
	switch key := private.(type) {
	case *rsa.PrivateKey:
		if key.N.BitLen() < keyBits || key.N.BitLen() > 2*keyBits {
			return refuse("An RSA key must have 2048 to 4096 bits.")
		}
	case *ecdsa.PrivateKey:
		if key.Curve != elliptic.P256() {
			return refuse("A key of elliptic curves must be on P-256.")
		}
	}
	return nil
}

// readPEM returns the first private key. What certificates stand beside it is passed over.
func readPEM(text []byte) (crypto.Signer, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		for _, parse := range []func([]byte) (any, error){
			x509.ParsePKCS8PrivateKey,
			func(der []byte) (any, error) { return x509.ParsePKCS1PrivateKey(der) },
			func(der []byte) (any, error) { return x509.ParseECPrivateKey(der) },
		} {
			if key, err := parse(block.Bytes); err == nil {
				if signer, signs := key.(crypto.Signer); signs {
					return signer, nil
				}
			}
		}
	}
	return nil, fault.New(fault.Invalid, ReasonKey, "The file has no private key in PEM that is not encrypted.")
}
