package signing_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/signing"
)

func pemOf(t *testing.T, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// Rule: KEY-14
func TestAKeyFromElsewhereSignsUnderItsNameAndTheOneBeforeStaysPublished(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	before := w.access(set)
	key := rsaKey(t, keyPS256PEM)
	pkcs1 := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	info, err := set.Import(t.Context(), w.act(), "", "kid-of-before", pkcs1)
	if err != nil || info.KID != "kid-of-before" || info.State != signing.Active || info.Algorithm != signing.RS256 {
		t.Fatalf("Import = %+v, %v", info, err)
	}
	after := w.access(set)
	if headerOf(t, after)["kid"] != "kid-of-before" {
		t.Errorf("signed by %v", headerOf(t, after))
	}
	for name, token := range map[string]string{"before": before, "after": after} {
		if _, err := set.VerifyAccess(t.Context(), token); err != nil {
			t.Errorf("the token of %s: %v", name, err)
		}
	}
	w.clock.Advance(time.Minute)
	for range 2 { // nothing changes by itself: neither here nor in another process
		maintain(t, set)
		set = w.open()
		if kid := headerOf(t, w.access(set))["kid"]; kid != "kid-of-before" {
			t.Errorf("then %s signs", kid)
		}
	}
	states := map[signing.State]int{}
	infos, err := set.List(t.Context())
	for _, info := range infos {
		if info.Algorithm == signing.RS256 {
			states[info.State]++
		}
	}
	if err != nil || states[signing.Next] != 1 || states[signing.Active] != 1 {
		t.Errorf("states %v, %v", states, err)
	}
}

// Rule: KEY-14
func TestAKeyThatCannotSignIsRefused(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	good := pemOf(t, rsaKey(t, keyPS256PEM))
	for name, c := range map[string]struct {
		algorithm, kid string
		text           []byte
		kind           fault.Kind
	}{
		"no PEM":             {"", "k", []byte("x"), fault.Invalid},
		"1024 bits":          {"", "k", pemOf(t, weak), fault.Invalid},
		"another curve":      {signing.ES256, "k", pemOf(t, wide), fault.Invalid},
		"another kind":       {signing.ES256, "k", good, fault.Invalid},
		"no algorithm":       {"HS256", "k", good, fault.Invalid},
		"a name that is":     {"", firstKID, good, fault.Conflict},
		"a name with blanks": {"", "a b", good, fault.Conflict},
	} {
		if _, err := set.Import(t.Context(), w.act(), c.algorithm, c.kid, c.text); !fault.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if headerOf(t, w.access(set))["kid"] != firstKID {
		t.Error("another key signs")
	}
	if _, err := set.Import(t.Context(), w.act(), "", "k", good); err != nil {
		t.Errorf("the twin: %v", err)
	}
}
