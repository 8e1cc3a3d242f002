// Package passkeytest is a device with passkeys, and the browser around it, for
// tests that need no real one. What it says can be bent in every part.
package passkeytest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"

	"github.com/portico-id/portico/internal/ambient"
)

// Passkey is one key on the device.
type Passkey struct {
	ID      []byte
	User    string // as the server calls the person
	Party   string // the site that it is for
	Origin  string // where the browser is
	Counter uint32
	Flags   byte // of who is there
	Cross   bool // the page is in a frame of another site's

	key ed25519.PrivateKey
}

// Verified are the flags of a device that looked who uses it.
const Verified = 0x05

// New makes a key for the site, of which the device says no counter.
func New(party, origin, user string) *Passkey {
	chance := ambient.System()
	return &Passkey{
		ID: chance.Bytes(16), User: user, Party: party, Origin: origin, Flags: Verified,
		key: ed25519.NewKeyFromSeed(chance.Bytes(ed25519.SeedSize)),
	}
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (p *Passkey) clientData(kind, challenge string) []byte {
	text, _ := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": p.Origin,
		"crossOrigin": p.Cross})
	return text
}

func (p *Passkey) device(flags byte) []byte {
	party := sha256.Sum256([]byte(p.Party))
	return binary.BigEndian.AppendUint32(append(party[:], flags), p.Counter)
}

func answer(fields map[string][]byte) string {
	said := map[string]string{}
	for name, value := range fields {
		said[name] = encode(value)
	}
	text, _ := json.Marshal(said)
	return string(text)
}

// Made is what the browser says once the key was made.
func (p *Passkey) Made(challenge string) string {
	device := append(p.device(p.Flags|0x40), make([]byte, 16)...)
	device = append(binary.BigEndian.AppendUint16(device, uint16(len(p.ID))), p.ID...)
	public, _ := x509.MarshalPKIXPublicKey(p.key.Public())
	return answer(map[string][]byte{"id": p.ID, "clientData": p.clientData("webauthn.create", challenge),
		"authenticatorData": device, "publicKey": public})
}

// Used is what the browser says when the key is used.
func (p *Passkey) Used(challenge string) string {
	said, device := p.clientData("webauthn.get", challenge), p.device(p.Flags)
	saidSum := sha256.Sum256(said)
	signature := ed25519.Sign(p.key, append(append([]byte{}, device...), saidSum[:]...))
	return answer(map[string][]byte{"id": p.ID, "clientData": said, "authenticatorData": device, "signature": signature,
		"userHandle": []byte(p.User)})
}
