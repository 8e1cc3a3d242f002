package webauthn

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"errors"
)

// Algorithms are the numbers (COSE) of what keys can sign with, the best first:
// ES256, EdDSA and RS256, the last for Windows Hello.
func Algorithms() []int { return []int{-7, -8, -257} }

// Sizes of RSA keys, in bits.
const (
	minRSA = 2048
	maxRSA = 4096
)

// key is a public key of one of the algorithms.
type key struct{ crypto.PublicKey }

var errKey = errors.New("the key is none that can be used")

// readKey reads a key as browsers hand it out: DER of a SubjectPublicKeyInfo.
func readKey(der []byte) (key, error) {
	public, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return key{}, errKey
	}
	fits := false
	switch k := public.(type) {
	case *ecdsa.PublicKey:
		fits = k.Curve == elliptic.P256()
	case ed25519.PublicKey:
		fits = true
	case *rsa.PublicKey:
		fits = k.N.BitLen() >= minRSA && k.N.BitLen() <= maxRSA
	}
	if !fits {
		return key{}, errKey
	}
	return key{public}, nil
}

func (k key) signed(message, signature []byte) bool {
	sum := sha256.Sum256(message)
	switch public := k.PublicKey.(type) {
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(public, sum[:], signature)
	case ed25519.PublicKey:
		return ed25519.Verify(public, message, signature)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(public, crypto.SHA256, sum[:], signature) == nil
	}
	return false
}
