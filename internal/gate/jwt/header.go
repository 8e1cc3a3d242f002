package jwt

import (
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json"
)

// Header is what a token says before its signature was checked.
type Header struct {
	Type      string
	Algorithm string
	KeyID     string
	Key       *jose.JSONWebKey // a public key that it brings along; nil: none

	payload []byte
	signed  *jose.JSONWebSignature
}

// Claimed returns who it says it is from; nothing where it can't be read.
func (h Header) Claimed() (c Claims) {
	_ = json.Unmarshal(h.payload, &c)
	return c
}

// Cause says why a token is refused, for the log and for whoever made it; it
// never quotes the token.
type Cause string

// Error implements error.
func (c Cause) Error() string { return string(c) }

// The causes that Open gives.
const (
	CauseForm      Cause = "it is not a JWT signed with an algorithm that is taken here"
	CauseType      Cause = "its typ says that it is for something else"
	CauseClaims    Cause = "the claims are not a JSON object of the expected types"
	CauseSignature Cause = "the signature is not that of the key"
)

func headerOf(signed *jose.JSONWebSignature) Header {
	protected := signed.Signatures[0].Protected
	typ, _ := protected.ExtraHeaders[jose.HeaderType].(string)
	return Header{
		Type:      strings.TrimPrefix(strings.ToLower(typ), "application/"),
		Algorithm: protected.Algorithm, KeyID: protected.KeyID, Key: protected.JSONWebKey,
		payload: signed.UnsafePayloadWithoutVerification(), signed: signed,
	}
}
