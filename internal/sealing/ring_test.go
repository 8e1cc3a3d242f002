package sealing_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/sealing"
)

var (
	older = bytes.Repeat([]byte("o"), 32)
	newer = bytes.Repeat([]byte("n"), 40)
)

func ring(t *testing.T, secret, previous []byte) *sealing.Ring {
	t.Helper()
	source, _ := ambient.Fixed(time.Unix(1_700_000_000, 0), 1)
	r, err := sealing.New(secret, previous, source)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSecretsNeedThirtyTwoBytes(t *testing.T) {
	source, _ := ambient.Fixed(time.Unix(0, 0), 1)
	for name, c := range map[string]struct {
		secret, previous []byte
		ok               bool
	}{
		"no secret":               {nil, nil, false},
		"secret of 31 bytes":      {older[:31], nil, false},
		"secret of 32 bytes":      {older, nil, true},
		"previous of 31 bytes":    {newer, older[:31], false},
		"previous that is empty":  {newer, []byte{}, false},
		"secret and previous":     {newer, older, true},
		"previous without secret": {nil, older, false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := sealing.New(c.secret, c.previous, source); (err == nil) != c.ok {
				t.Errorf("New: %v, want success = %v", err, c.ok)
			}
		})
	}
}

// Rule: KEY-8
func TestSealedBytesOpenOnlyWhereTheyBelong(t *testing.T) {
	r := ring(t, newer, nil)
	sealed := r.Seal("totp", []byte("plain"), []byte("row 1"))
	if bytes.Contains(sealed, []byte("plain")) {
		t.Fatal("the plaintext shows")
	}
	plaintext, fresh, err := r.Open("totp", sealed, []byte("row 1"))
	if string(plaintext) != "plain" || !fresh || err != nil {
		t.Fatalf("Open = %q, %v, %v", plaintext, fresh, err)
	}

	flipped := bytes.Clone(sealed)
	flipped[len(flipped)-1] ^= 1
	for name, open := range map[string]func() ([]byte, bool, error){
		"another label":  func() ([]byte, bool, error) { return r.Open("key", sealed, []byte("row 1")) },
		"another row":    func() ([]byte, bool, error) { return r.Open("totp", sealed, []byte("row 2")) },
		"another secret": func() ([]byte, bool, error) { return ring(t, older, nil).Open("totp", sealed, []byte("row 1")) },
		"one bit":        func() ([]byte, bool, error) { return r.Open("totp", flipped, []byte("row 1")) },
		"cut short":      func() ([]byte, bool, error) { return r.Open("totp", sealed[:10], []byte("row 1")) },
		"nothing":        func() ([]byte, bool, error) { return r.Open("totp", nil, []byte("row 1")) },
	} {
		t.Run(name, func(t *testing.T) {
			if got, _, err := open(); !errors.Is(err, sealing.ErrOpen) {
				t.Errorf("Open = %q, %v, want ErrOpen", got, err)
			}
		})
	}
}

func TestSealingTwiceShowsNoSameness(t *testing.T) {
	r := ring(t, newer, nil)
	if bytes.Equal(r.Seal("l", []byte("x"), nil), r.Seal("l", []byte("x"), nil)) {
		t.Error("the same plaintext was sealed to the same bytes")
	}
}

func TestPreviousSecretOpensButIsNotFresh(t *testing.T) {
	sealed := ring(t, older, nil).Seal("l", []byte("x"), nil)
	both := ring(t, newer, older)
	plaintext, fresh, err := both.Open("l", sealed, nil)
	if string(plaintext) != "x" || fresh || err != nil {
		t.Fatalf("Open = %q, fresh %v, %v", plaintext, fresh, err)
	}
	again := both.Seal("l", plaintext, nil)
	if _, fresh, err := ring(t, newer, nil).Open("l", again, nil); !fresh || err != nil {
		t.Errorf("what was sealed again needs the previous secret still: fresh %v, %v", fresh, err)
	}
}

// What is sealed today must open after an upgrade, so the derivation may never
// change.
func TestDerivationIsStable(t *testing.T) {
	const want = "5086a2b2"
	if got := hex.EncodeToString(ring(t, newer, nil).MAC("stable"))[:8]; got != want {
		t.Errorf("a code begins with %s, want %s", got, want)
	}
}

func TestMACFramesItsParts(t *testing.T) {
	r := ring(t, newer, older)
	code := r.MAC("l", []byte("ab"), []byte("c"))
	if !r.CheckMAC("l", code, []byte("ab"), []byte("c")) {
		t.Fatal("a good MAC was refused")
	}
	for name, ok := range map[string]bool{
		"moved border":   r.CheckMAC("l", code, []byte("a"), []byte("bc")),
		"one part":       r.CheckMAC("l", code, []byte("abc")),
		"an empty part":  r.CheckMAC("l", code, []byte("ab"), []byte("c"), nil),
		"another label":  r.CheckMAC("m", code, []byte("ab"), []byte("c")),
		"an empty code":  r.CheckMAC("l", nil, []byte("ab"), []byte("c")),
		"a shorter code": r.CheckMAC("l", code[:16], []byte("ab"), []byte("c")),
	} {
		if ok {
			t.Errorf("%s was taken for the same", name)
		}
	}
}

func TestMACOfThePreviousSecretStillChecks(t *testing.T) {
	code := ring(t, older, nil).MAC("l", []byte("x"))
	if !ring(t, newer, older).CheckMAC("l", code, []byte("x")) {
		t.Error("a MAC under the previous secret was refused")
	}
	if ring(t, newer, nil).CheckMAC("l", code, []byte("x")) {
		t.Error("a MAC under a secret that is gone was accepted")
	}
}
