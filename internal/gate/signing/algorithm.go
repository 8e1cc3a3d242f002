package signing

import (
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
)

// The algorithms that tokens are signed with (RFC 7518, 3.1; RFC 8037, 3.1). Each
// has keys of its own, which rotate by themselves.
const (
	RS256 = "RS256"
	ES256 = "ES256"
	PS256 = "PS256"
	EdDSA = "EdDSA"
)

// family is all that tells the keys of one algorithm from those of another.
type family struct {
	algorithm string
	make      func(random io.Reader) (crypto.Signer, error)
	sign      func(random io.Reader, key crypto.Signer, input []byte) ([]byte, error)
	fits      func(public crypto.PublicKey) bool

	// late keys are left to Maintain when a server starts for the first time: an
	// RSA key costs a tenth of a second, and one of them is enough to begin with.
	late bool
}

// families are in the order in which their keys are published: RS256 first, for
// verifiers that know no kid and take the first they see.
var families = []family{
	{algorithm: RS256, make: makeRSA, sign: signRS256, fits: isA[*rsa.PublicKey]},
	{algorithm: ES256, make: makeEC, sign: signES256, fits: isA[*ecdsa.PublicKey]},
	{algorithm: PS256, make: makeRSA, sign: signPS256, fits: isA[*rsa.PublicKey], late: true},
	{algorithm: EdDSA, make: makeEd25519, sign: signEdDSA, fits: isA[ed25519.PublicKey]},
}

// Algorithms returns the algorithms that tokens can be signed with, the default
// first.
func Algorithms() []string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.algorithm
	}
	return names
}

// familyOf returns the family of an algorithm; "" is RS256.
func familyOf(algorithm string) (family, error) {
	algorithm = cmp.Or(algorithm, RS256)
	i := slices.IndexFunc(families, func(f family) bool { return f.algorithm == algorithm })
	if i < 0 {
		return family{}, fmt.Errorf("no tokens are signed with %q", algorithm)
	}
	return families[i], nil
}

func isA[T any](public crypto.PublicKey) bool {
	_, is := public.(T)
	return is
}

func makeRSA(random io.Reader) (crypto.Signer, error) { return rsa.GenerateKey(random, keyBits) }

func makeEC(random io.Reader) (crypto.Signer, error) {
	return ecdsa.GenerateKey(elliptic.P256(), random)
}

func makeEd25519(random io.Reader) (crypto.Signer, error) {
	_, key, err := ed25519.GenerateKey(random)
	return key, err
}

func signRS256(_ io.Reader, key crypto.Signer, input []byte) ([]byte, error) {
	digest := sha256.Sum256(input)
	return key.Sign(nil, digest[:], crypto.SHA256)
}

// signPS256 has a salt as long as the hash (RFC 7518, 3.5).
func signPS256(random io.Reader, key crypto.Signer, input []byte) ([]byte, error) {
	digest := sha256.Sum256(input)
	return key.Sign(random, digest[:], &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: crypto.SHA256})
}

// signES256 writes both numbers with leading zeros, 64 bytes (RFC 7518, 3.4).
func signES256(random io.Reader, key crypto.Signer, input []byte) ([]byte, error) {
	digest := sha256.Sum256(input)
	r, s, err := ecdsa.Sign(random, key.(*ecdsa.PrivateKey), digest[:])
	if err != nil {
		return nil, err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return signature, nil
}

func signEdDSA(random io.Reader, key crypto.Signer, input []byte) ([]byte, error) {
	return key.Sign(random, input, crypto.Hash(0))
}
