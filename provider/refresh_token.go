package provider

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/portico-id/portico/internal/sealing"
)

// refreshTokens makes and reads refresh tokens. A token is 52 bytes in
// base64url (70 characters): the grant's id, the generation, and a MAC over
// both under a key of its own. The successor of a token therefore is a matter
// of arithmetic, and a retry inside the grace gets the very same one without a
// second branch ever existing (decision T4).
type refreshTokens struct {
	ring *sealing.Ring
}

const (
	refreshLabel      = "refresh-token"
	refreshHeaderSize = 16 + 4
	refreshTokenSize  = refreshHeaderSize + 32
)

// make returns the token of a generation of a grant, whose id is 16 bytes in
// base64url.
func (t refreshTokens) make(grantID string, generation int) (string, bool) {
	id, err := sealing.Decode(grantID)
	if err != nil || len(id) != 16 {
		return "", false
	}
	token := binary.BigEndian.AppendUint32(id, uint32(generation))
	token = append(token, t.ring.MAC(refreshLabel, token)...)
	return base64.RawURLEncoding.EncodeToString(token), true
}

// parse returns the grant and the generation of a token that we made.
func (t refreshTokens) parse(token string) (grantID string, generation int, ok bool) {
	raw, err := sealing.Decode(token)
	if err != nil || len(raw) != refreshTokenSize {
		return "", 0, false
	}
	header, mac := raw[:refreshHeaderSize], raw[refreshHeaderSize:]
	if !t.ring.CheckMAC(refreshLabel, mac, header) {
		return "", 0, false
	}
	return base64.RawURLEncoding.EncodeToString(header[:16]), int(binary.BigEndian.Uint32(header[16:])), true
}
