package webauthn_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/passkeytest"
	"github.com/portico-id/portico/internal/webauthn"
)

const challenge = "the-challenge"

func ours(t *testing.T) webauthn.Party {
	t.Helper()
	party, ok := webauthn.PartyAt("https://id.example.test:8443/portico")
	if !ok || party.ID != "id.example.test" || party.Origin != "https://id.example.test:8443" {
		t.Fatalf("the party is %+v, %v", party, ok)
	}
	return party
}

// made returns a passkey of ours, and its public key.
func made(t *testing.T, party webauthn.Party) (*passkeytest.Passkey, []byte) {
	t.Helper()
	p := passkeytest.New(party.ID, party.Origin, "USER")
	a, err := webauthn.Parse(p.Made(challenge))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := party.Registered(challenge, a); err != nil {
		t.Fatal(err)
	}
	return p, a.PublicKey
}

// Rule: FACTOR-12
func TestAPasskeyIsTakenAsItShouldBeAndInNoOtherWay(t *testing.T) {
	party := ours(t)
	for name, bend := range map[string]func(*passkeytest.Passkey){
		"as it should be": func(*passkeytest.Passkey) {},
		"another origin": func(p *passkeytest.Passkey) {
			p.Origin = "https://id.example.test.evil.test:8443"
		},
		"another port":                   func(p *passkeytest.Passkey) { p.Origin = "https://id.example.test" },
		"plain http":                     func(p *passkeytest.Passkey) { p.Origin = "http://id.example.test:8443" },
		"in a frame of another site":     func(p *passkeytest.Passkey) { p.Cross = true },
		"for another site":               func(p *passkeytest.Passkey) { p.Party = "example.test" },
		"nobody there":                   func(p *passkeytest.Passkey) { p.Flags = 4 },
		"nobody looked who":              func(p *passkeytest.Passkey) { p.Flags = 1 },
		"a copy of what can't be copied": func(p *passkeytest.Passkey) { p.Flags |= 0x10 },
		"a copy of what can be copied":   func(p *passkeytest.Passkey) { p.Flags |= 0x18 },
	} {
		p, key := made(t, party)
		bend(p)
		use, err := webauthn.Parse(p.Used(challenge))
		if err != nil {
			t.Fatal(err)
		}
		create, err := webauthn.Parse(p.Made(challenge))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.HasPrefix(name, "as it") || strings.HasSuffix(name, "can be copied")
		if _, err := party.Verify(challenge, key, use); (err == nil) != want {
			t.Errorf("%s, used: %v", name, err)
		}
		if _, err := party.Registered(challenge, create); (err == nil) != want {
			t.Errorf("%s, made: %v", name, err)
		}
	}
}

// Rule: FACTOR-12
func TestAnAnswerOfAnotherKindChallengeOrKeyIsNone(t *testing.T) {
	party := ours(t)
	p, key := made(t, party)
	_, other := made(t, party)
	p.Counter = 7
	use, _ := webauthn.Parse(p.Used(challenge))
	create, _ := webauthn.Parse(p.Made(challenge))
	if counter, err := party.Verify(challenge, key, use); err != nil || counter != 7 {
		t.Errorf("unbent: %d, %v", counter, err)
	}
	bent := func(bend func(a *webauthn.Answer)) webauthn.Answer {
		a := use
		a.Device, a.Signature = slices.Clone(use.Device), slices.Clone(use.Signature)
		bend(&a)
		return a
	}
	for name, err := range map[string]error{
		"another challenge":  second(party.Verify("another", key, use)),
		"no challenge":       second(party.Verify("", key, use)),
		"another key":        second(party.Verify(challenge, other, use)),
		"no key":             second(party.Verify(challenge, nil, use)),
		"a use for a making": second(party.Registered(challenge, use)),
		"a making for a use": second(party.Verify(challenge, key, create)),
		"nothing":            second(party.Verify(challenge, key, webauthn.Answer{})),
		"another counter":    second(party.Verify(challenge, key, bent(func(a *webauthn.Answer) { a.Device[36]++ }))),
		"another signature":  second(party.Verify(challenge, key, bent(func(a *webauthn.Answer) { a.Signature[9]++ }))),
		"cut short": second(party.Verify(challenge, key,
			bent(func(a *webauthn.Answer) { a.Device = a.Device[:36] }))),
		"an ID of another key": second(party.Registered(challenge,
			func() webauthn.Answer { a := create; a.ID = []byte("other"); return a }())),
	} {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func second(_ uint32, err error) error { return err }

// Rule: FACTOR-12
func TestKeysOfThreeKindsAreReadAndNoOthers(t *testing.T) {
	party := ours(t)
	p, _ := made(t, party)
	a, _ := webauthn.Parse(p.Made(challenge))
	use, _ := webauthn.Parse(p.Used(challenge))
	said := sha256.Sum256(use.ClientData)
	sum := sha256.Sum256(slices.Concat(use.Device, said[:]))
	for name, one := range map[string]struct {
		key crypto.Signer
		ok  bool
	}{"P-256": {ellipticKey(t, elliptic.P256()), true}, "RSA": {rsaKey(t, 2048), true},
		"P-384": {ellipticKey(t, elliptic.P384()), false}} {
		der, err := x509.MarshalPKIXPublicKey(one.key.Public())
		if err != nil {
			t.Fatal(err)
		}
		a.PublicKey = der
		if _, err := party.Registered(challenge, a); (err == nil) != one.ok {
			t.Errorf("%s: made: %v", name, err)
		}
		if use.Signature, err = one.key.Sign(rand.Reader, sum[:], crypto.SHA256); err != nil {
			t.Fatal(err)
		}
		if _, err := party.Verify(challenge, der, use); (err == nil) != one.ok {
			t.Errorf("%s: used: %v", name, err)
		}
	}
}

func ellipticKey(t *testing.T, curve elliptic.Curve) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func rsaKey(t *testing.T, bits int) crypto.Signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Rules: FACTOR-12, FACTOR-18
func TestAddressesHaveNoPasskeys(t *testing.T) {
	for base, want := range map[string]bool{
		"http://localhost:8080": true, "https://id.example.test": true, "http://127.0.0.1:8080": false,
		"http://[::1]:8080": false, "": false,
	} {
		if _, ok := webauthn.PartyAt(base); ok != want {
			t.Errorf("%q: %v", base, ok)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	p := passkeytest.New("id.example.test", "https://id.example.test", "USER")
	f.Add(p.Made(challenge))
	f.Add(p.Used(challenge))
	party, _ := webauthn.PartyAt("https://id.example.test")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := webauthn.Parse(text)
		if err != nil {
			return
		}
		_, _ = party.Registered(challenge, a)
		if _, err := party.Verify(challenge, a.PublicKey, a); err == nil && !json.Valid(a.ClientData) {
			t.Error("taken without what the browser says")
		}
	})
}
