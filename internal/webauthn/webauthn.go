// Package webauthn judges what a browser says of a passkey (Web Authentication
// Level 3): a key that a person's device keeps for one site, and that it uses only
// for them.
//
// It has no I/O and keeps nothing: challenges, counters and whose key is whose are
// its callers'. Who made the device is not asked (attestation "none"), so nothing
// here reads certificates; the public key comes as browsers hand it out
// (getPublicKey), so nothing reads CBOR. Start with Party.
package webauthn

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/netip"
	"net/url"
	"slices"

	"github.com/portico-id/portico/internal/sealing"
)

// Party is the site that passkeys are for (relying party).
type Party struct {
	ID     string // host
	Origin string // scheme, host and port, as browsers say it
}

// PartyAt returns the site at a base URL. False: browsers make no passkeys there,
// for it has an address in place of a name.
func PartyAt(baseURL string) (Party, bool) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Hostname() == "" {
		return Party{}, false
	}
	_, notAddress := netip.ParseAddr(u.Hostname())
	return Party{ID: u.Hostname(), Origin: u.Scheme + "://" + u.Host}, notAddress != nil
}

// Bytes are written as base64url without padding.
type Bytes []byte

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *Bytes) UnmarshalText(text []byte) (err error) {
	*b, err = sealing.Decode(string(text))
	return err
}

// Answer is what the browser says.
type Answer struct {
	ID         Bytes `json:"id"`
	ClientData Bytes `json:"clientData"`        // JSON
	Device     Bytes `json:"authenticatorData"` // what the device says

	PublicKey Bytes `json:"publicKey"` // of a passkey that was just made

	Signature Bytes `json:"signature"` // by one that is used
	User      Bytes `json:"userHandle"`
}

// maxAnswer is more than any browser says.
const maxAnswer = 16 << 10

var errForm = errors.New("the answer has not the form of one")

// Parse reads an answer.
func Parse(text string) (a Answer, err error) {
	if len(text) > maxAnswer || json.Unmarshal([]byte(text), &a) != nil {
		return a, errForm
	}
	return a, nil
}

// Flags of what a device says (section 6.1).
const (
	flagPresent    = 1 << 0 // somebody was there
	flagVerified   = 1 << 2 // and it was the device's person
	flagEligible   = 1 << 3 // the key may be kept elsewhere too
	flagBackedUp   = 1 << 4
	flagCredential = 1 << 6 // a key that was made follows
)

// Sizes of what a device says: the hash of the party's ID, flags and counter; then
// what of a key comes before its ID, which has at most so many bytes.
const (
	headSize      = 37
	modelSize     = 16
	maxCredential = 1023
)

// Registered judges a passkey that was made for the challenge (section 7.1), and
// returns its counter. The key must be one that Verify can read.
func (p Party) Registered(challenge string, a Answer) (counter uint32, err error) {
	flags, counter, err := p.check("webauthn.create", challenge, a)
	if err != nil {
		return 0, err
	}
	key := a.Device[headSize:]
	if flags&flagCredential == 0 || len(key) < modelSize+2 {
		return 0, errors.New("there is no key in the answer")
	}
	size := int(binary.BigEndian.Uint16(key[modelSize:]))
	key = key[modelSize+2:]
	if size == 0 || size > maxCredential || len(key) < size || !slices.Equal(key[:size], a.ID) {
		return 0, errors.New("the key has another ID than the answer")
	}
	_, err = readKey(a.PublicKey)
	return counter, err
}

// Verify judges whether the key's owner answered the challenge (section 7.2), and
// returns the key's counter.
func (p Party) Verify(challenge string, publicKey []byte, a Answer) (counter uint32, err error) {
	if _, counter, err = p.check("webauthn.get", challenge, a); err != nil {
		return 0, err
	}
	key, err := readKey(publicKey)
	if err != nil {
		return 0, err
	}
	said := sha256.Sum256(a.ClientData)
	if !key.signed(slices.Concat(a.Device, said[:]), a.Signature) {
		return 0, errors.New("the signature is not the key's")
	}
	return counter, nil
}

// clientData is what the browser says where the device can't know.
type clientData struct {
	Type        string `json:"type"`
	Challenge   string `json:"challenge"`
	Origin      string `json:"origin"`
	CrossOrigin bool   `json:"crossOrigin"`
	TopOrigin   string `json:"topOrigin"`
}

// check judges what every answer has.
func (p Party) check(kind, challenge string, a Answer) (flags byte, counter uint32, err error) {
	var said clientData
	switch {
	case json.Unmarshal(a.ClientData, &said) != nil, len(a.Device) < headSize:
		return 0, 0, errForm
	case said.Type != kind:
		return 0, 0, errors.New("the answer is one to another question")
	case challenge == "", subtle.ConstantTimeCompare([]byte(said.Challenge), []byte(challenge)) != 1:
		return 0, 0, errors.New("the answer is to another challenge")
	case said.Origin != p.Origin, said.CrossOrigin, said.TopOrigin != "":
		return 0, 0, errors.New("the answer was made at another site")
	}
	party := sha256.Sum256([]byte(p.ID))
	flags, counter = a.Device[32], binary.BigEndian.Uint32(a.Device[33:])
	switch {
	case !slices.Equal(a.Device[:32], party[:]):
		return 0, 0, errors.New("the key is another site's")
	case flags&flagPresent == 0, flags&flagVerified == 0:
		return 0, 0, errors.New("the device did not look who uses it")
	case flags&flagBackedUp != 0 && flags&flagEligible == 0:
		return 0, 0, errors.New("the device contradicts itself about copies")
	}
	return flags, counter, nil
}
