package libcrypto

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"testing"
)

func newKey(tb testing.TB, bits int) *rsa.PrivateKey {
	tb.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

// Rules: KEY-13
func TestASignatureThatIsNotRightNeverLeaves(t *testing.T) {
	key := newKey(t, 2048)
	digest := sha256.Sum256([]byte("what is signed"))
	want, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(want)
	flipped[100] ^= 4
	for name, answer := range map[string]struct {
		signature []byte
		err       error
	}{
		"right": {want, nil}, "a flipped bit": {flipped, nil}, "cut": {want[:200], nil},
		"nothing": {nil, errors.New("it did not sign")},
	} {
		asked := 0
		s := Signer{key, func([]byte) ([]byte, error) { asked++; return answer.signature, answer.err }}
		got, err := s.Sign(nil, digest[:], crypto.SHA256)
		if err != nil || !bytes.Equal(got, want) || asked != 1 {
			t.Errorf("%s: %v, %d asked: %x", name, err, asked, got)
		}
	}
}

// Rules: KEY-13
func TestALibraryThatSignsOtherwiseThanGoIsNotUsed(t *testing.T) {
	key := newKey(t, 2048)
	digest := sha256.Sum256([]byte("what is signed"))
	right := func(digest []byte) ([]byte, error) { return rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest) }
	other := newKey(t, 2048)
	wrong := func(digest []byte) ([]byte, error) { return rsa.SignPKCS1v15(nil, other, crypto.SHA256, digest) }
	if err := (&Signer{key, right}).compare(digest[:]); err != nil {
		t.Errorf("one that signs as Go does: %v", err)
	}
	if err := (&Signer{key, wrong}).compare(digest[:]); err == nil {
		t.Error("one that signs otherwise is used")
	}
}

// Rules: KEY-13
func TestWhatIsNotPKCS1OverSHA256IsSignedByGo(t *testing.T) {
	key := newKey(t, 2048)
	s := Signer{key, func([]byte) ([]byte, error) { t.Error("the library is asked"); return nil, nil }}
	digest := sha256.Sum256([]byte("what is signed"))
	salted := &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: crypto.SHA256}
	got, err := s.Sign(rand.Reader, digest[:], salted)
	if err != nil || rsa.VerifyPSS(&key.PublicKey, crypto.SHA256, digest[:], got, salted) != nil {
		t.Errorf("with a salt: %v", err)
	}
	if _, err := s.Sign(nil, digest[:20], crypto.SHA1); err != nil {
		t.Errorf("over SHA-1: %v", err)
	}
	if _, err := s.Sign(nil, digest[:20], crypto.SHA256); err == nil {
		t.Error("a digest of 20 bytes is signed as one of SHA-256")
	}
}
