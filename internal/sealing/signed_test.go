package sealing_test

import (
	"errors"
	"testing"

	"github.com/portico-id/portico/internal/sealing"
)

func TestWhatWasSignedIsReadOnlyAsItWas(t *testing.T) {
	r := ring(t, newer, nil)
	text, err := r.Sign("address", map[string]int{"a": 1})
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]int
	if err := r.Verify("address", text, &v); err != nil || v["a"] != 1 {
		t.Fatalf("Verify = %v, %v", v, err)
	}
	if err := ring(t, older, newer).Verify("address", text, &v); err != nil {
		t.Errorf("under the secret before: %v", err)
	}
	for name, verify := range map[string]func() error{
		"another label":  func() error { return r.Verify("link", text, &v) },
		"another secret": func() error { return ring(t, older, nil).Verify("address", text, &v) },
		"another body":   func() error { return r.Verify("address", "e30"+text, &v) },
		"another code":   func() error { return r.Verify("address", text+"AA", &v) },
		"no base64url":   func() error { return r.Verify("address", "+"+text, &v) },
		"no code":        func() error { return r.Verify("address", "e30", &v) },
		"nothing":        func() error { return r.Verify("address", "", &v) },
	} {
		if err := verify(); !errors.Is(err, sealing.ErrSigned) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
