// Package libcrypto signs with RSA by the OpenSSL of the system, which takes a third to a
// half of the time that Go's own crypto takes. It is loaded while the program runs, without
// cgo, and only in programs built with the tag portico_libcrypto on Linux: those need the C
// library of the system. Start at Open.
package libcrypto

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
)

// ErrNotBuilt is the error of Open in a program that was built without it.
var ErrNotBuilt = errors.New("this program was built without portico_libcrypto")

// Signer signs with one RSA key; many may use it at once. What is not PKCS #1 v1.5 over
// SHA-256 is signed by Go.
type Signer struct {
	*rsa.PrivateKey
	native func(digest []byte) ([]byte, error)
}

// comparisons is how many signatures of a new signer are compared with Go's.
const comparisons = 4

// NewSigner returns a signer of the key, once it has signed some digests as Go signs them:
// such a signature is the same whoever makes it (RFC 8017, 8.2).
func (l *Library) NewSigner(key *rsa.PrivateKey) (*Signer, error) {
	der := x509.MarshalPKCS1PrivateKey(key)
	defer clear(der)
	native, err := l.load(der, key.Size())
	if err != nil {
		return nil, fmt.Errorf("libcrypto: %w", err)
	}
	s := &Signer{key, native}
	for i := range comparisons {
		digest := sha256.Sum256([]byte{byte(i)})
		if err := s.compare(digest[:]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Signer) compare(digest []byte) error {
	ours, err := s.native(digest)
	if err != nil {
		return fmt.Errorf("libcrypto: %w", err)
	}
	gos, err := rsa.SignPKCS1v15(nil, s.PrivateKey, crypto.SHA256, digest)
	if err != nil {
		return err
	}
	if !bytes.Equal(ours, gos) {
		return errors.New("libcrypto signs otherwise than Go does")
	}
	return nil
}

// Sign implements crypto.Signer. A signature is looked at before it leaves: one that was
// made with a half of the key that has a flipped bit would give the key away.
func (s *Signer) Sign(random io.Reader, digest []byte, options crypto.SignerOpts) ([]byte, error) {
	if _, salted := options.(*rsa.PSSOptions); salted || options.HashFunc() != crypto.SHA256 {
		return s.PrivateKey.Sign(random, digest, options)
	}
	if len(digest) != sha256.Size {
		return nil, fmt.Errorf("libcrypto: a digest of %d bytes", len(digest))
	}
	signature, err := s.native(digest)
	if err == nil {
		err = rsa.VerifyPKCS1v15(&s.PublicKey, crypto.SHA256, digest, signature)
	}
	if err != nil {
		return rsa.SignPKCS1v15(nil, s.PrivateKey, crypto.SHA256, digest)
	}
	return signature, nil
}
