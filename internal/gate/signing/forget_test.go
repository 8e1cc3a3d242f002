package signing_test

import (
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/signing"
)

// Rules: KEY-12
func TestTokensOfAForgottenKeyAreRefusedAndThoseOfTheOneThatSignsAreNot(t *testing.T) {
	w := newWorld(t)
	set, other := w.open(), w.open()
	before := w.access(set)
	if _, err := set.Rotate(t.Context(), w.act(), signing.RS256, true); err != nil {
		t.Fatal(err)
	}
	after := w.access(set)
	if _, err := other.VerifyAccess(t.Context(), before); err != nil {
		t.Fatalf("before it was forgotten: %v", err)
	}
	if err := set.Forget(t.Context(), w.act()); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Second)
	for name, keys := range map[string]*signing.KeySet{"here": set, "elsewhere": other} {
		if _, err := keys.VerifyAccess(t.Context(), before); !isInvalidToken(err) {
			t.Errorf("%s a token of the forgotten key: %v", name, err)
		}
		if _, err := keys.VerifyAccess(t.Context(), after); err != nil {
			t.Errorf("%s a token of the key that signs: %v", name, err)
		}
	}
}

// Rules: KEY-12
func TestAServerWhoseSecretIsLostMakesNewKeysOnceTheOldAreForgotten(t *testing.T) {
	w := newWorld(t)
	lost := w.options()
	lost.Ring = w.ring("other", "")
	if _, err := signing.Open(t.Context(), lost); !fault.HasReason(err, "sealed_keys") {
		t.Fatalf("with another secret: %v", err)
	}
	if err := signing.ForgetSealed(t.Context(), w.options(), w.act()); !fault.HasReason(err, signing.ReasonKeysOpen) {
		t.Errorf("with the secret that opens them: %v", err)
	}
	if err := signing.ForgetSealed(t.Context(), lost, w.act()); err != nil {
		t.Fatal(err)
	}
	set, err := signing.Open(t.Context(), lost)
	if err != nil {
		t.Fatal(err)
	}
	infos, err := set.List(t.Context())
	if err != nil || len(infos) == 0 {
		t.Fatalf("%v, %v", infos, err)
	}
	for _, k := range infos {
		if k.KID == firstKID {
			t.Error("a key of before is still published")
		}
	}
}
