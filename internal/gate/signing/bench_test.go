package signing_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
)

// BenchmarkBareSignature is what the machine needs for one RSA-2048 signature
// and nothing else: the yardstick of BenchmarkSignAccess.
func BenchmarkBareSignature(b *testing.B) {
	key, random := firstKey(b), ambient.System().Random()
	digest := sha256.Sum256([]byte("payload"))
	for b.Loop() {
		if _, err := rsa.SignPKCS1v15(random, key, crypto.SHA256, digest[:]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSignAccess(b *testing.B) {
	w := newWorld(b)
	set, claims := w.open(), w.claims()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := set.SignAccess(b.Context(), "", claims); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVerifyAccess tells a token that is seen for the first time from one
// that is remembered.
func BenchmarkVerifyAccess(b *testing.B) {
	w := newWorld(b)
	set := w.open()
	token := w.access(set)
	b.Run("cold", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			set.Unsee()
			if _, err := set.VerifyAccess(b.Context(), token); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cached", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := set.VerifyAccess(b.Context(), token); err != nil {
				b.Fatal(err)
			}
		}
	})
}
