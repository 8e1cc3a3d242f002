// Package jwt verifies JSON Web Tokens, ours and those that clients sign.
//
// There is no token as such, only a token for a purpose: whoever opens one says in
// a Use which types, algorithms and keys it may have, and in an Expected what it
// has to say. So nothing that was signed for one purpose passes for another, which
// is what most holes of this kind come down to. It keeps no keys and signs nothing
// (internal/gate/signing); it knows no endpoint. Start at Use.Open.
package jwt

import (
	"context"
	"crypto"
	"fmt"
	"slices"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json"
)

// The typ of a header, by what it is for, in lower case and without the prefix
// that RFC 7515, 4.1.9 lets one leave out.
const (
	TypeNone                 = "" // the header has none
	TypePlain                = "jwt"
	TypeAccess               = "at+jwt"                    // RFC 9068, 2.1
	TypeVouching             = "oauth-id-jag+jwt"          // an upstream's word on a person to an app
	TypeLogout               = "logout+jwt"                // Back-Channel Logout 1.0, 2.4
	TypeClientAuthentication = "client-authentication+jwt" // RFC 10070
	TypeRequest              = "oauth-authz-req+jwt"       // RFC 9101, 10.8
	TypeProof                = "dpop+jwt"                  // RFC 9449, 4.2
)

// Use says what a token for one purpose is signed like. Every field is needed.
type Use struct {
	Types      []string // that the header may have
	Algorithms []string // none of them symmetric
	Longest    int      // in bytes, for what is looked at at all

	// Key returns the key that the token has to be signed with, an AnyOf where it may
	// be one of several, or why there is none. Nothing of what it is given is proven.
	Key func(ctx context.Context, header Header) (crypto.PublicKey, error)
}

// Open returns the header of a token and its payload, which a key of the use has
// signed. The error is a Cause, or what Key returned.
func (u Use) Open(ctx context.Context, token string) (Header, []byte, error) {
	signed, err := parse(token, u.Longest, u.Algorithms)
	if err != nil {
		return Header{}, nil, fmt.Errorf("%w: %w", CauseForm, err)
	}
	header := headerOf(signed)
	if !slices.Contains(u.Types, header.Type) {
		return header, nil, CauseType
	}
	key, err := u.Key(ctx, header)
	if err != nil {
		return header, nil, err
	}
	payload, err := verify(signed, key)
	return header, payload, err
}

func verify(signed *jose.JSONWebSignature, key crypto.PublicKey) ([]byte, error) {
	if several, is := key.(AnyOf); is {
		return several.verify(signed)
	}
	payload, err := signed.Verify(key)
	if err != nil {
		return nil, CauseSignature
	}
	return payload, nil
}

// Read reads the payload of an opened token with the decoder for signed things:
// encoding/json would take EXP for exp, and the last of several exp.
func Read(payload []byte, into any) error {
	if json.Unmarshal(payload, into) != nil {
		return CauseClaims
	}
	return nil
}
