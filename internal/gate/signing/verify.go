package signing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/fault"
)

// ReasonInvalidToken is the reason of every fault of VerifyAccess.
const ReasonInvalidToken = "invalid_token"

// ReasonInvalidHint is the reason of every fault of VerifyIDHint.
const ReasonInvalidHint = "invalid_id_token_hint"

// maxToken bounds what is looked at at all: 50 scopes of 2000 characters and
// the rest of our claims stay far below.
const maxToken = 16 << 10

// VerifyAccess returns the claims of an access token of ours: signed
// by a published key, of typ at+jwt, or of typ JWT and marked as an access token,
// for our audience, not expired by our clock (RFC 9068, 4; there is no leeway, for the clock that set exp is ours
// too). Whether it was revoked is not asked here. Any failure is
// Unauthenticated with ReasonInvalidToken; the cause says why.
func (s *KeySet) VerifyAccess(ctx context.Context, token string) (AccessClaims, error) {
	claims, err := s.verifyAccess(ctx, token)
	if err != nil {
		return AccessClaims{}, fault.New(fault.Unauthenticated, ReasonInvalidToken,
			"The access token is invalid or has expired.").Because(err)
	}
	return claims, nil
}

func (s *KeySet) verifyAccess(ctx context.Context, token string) (AccessClaims, error) {
	name := nameOf(token)
	found, ok := s.seen.get(name)
	if !ok {
		var err error
		if found, err = s.readAccess(ctx, token); err != nil {
			return AccessClaims{}, err
		}
		s.seen.put(name, found)
	}
	if s.find(ctx, found.kid) == nil {
		return AccessClaims{}, fmt.Errorf("signing key %q is not published any more", found.kid)
	}
	if s.with.Ambient.Now().Unix() >= found.claims.ExpiresAt {
		return AccessClaims{}, errors.New("expired")
	}
	return found.claims, nil
}

// readAccess checks everything that stays true for as long as the key is
// published; the verdict may be cached.
func (s *KeySet) readAccess(ctx context.Context, token string) (verified, error) {
	plain := false
	kid, payload, err := s.open(ctx, token, func(typ string) bool {
		plain = isPlain(typ)
		return plain || typ == typeAccess
	})
	if err != nil {
		return verified{}, err
	}
	var c AccessClaims
	if err := json.Unmarshal(payload, &c); err != nil {
		return verified{}, fmt.Errorf("claims: %w", err)
	}
	switch {
	case plain != (c.Use == UseAccess):
		return verified{}, fmt.Errorf("token_use is %q, which does not go with the typ", c.Use)
	case c.Issuer != s.with.Issuer:
		return verified{}, fmt.Errorf("issuer is %q", c.Issuer)
	case c.Audience != s.with.Audience:
		return verified{}, fmt.Errorf("audience is %q", c.Audience)
	case c.Subject == "" || c.ClientID == "" || c.JTI == "":
		return verified{}, errors.New("sub, client_id or jti is missing")
	}
	return verified{kid: kid, claims: c}, nil
}

// IDHint is what an earlier ID token says about a session.
type IDHint struct {
	Subject   string
	Audience  []string // client ids
	SessionID string   // sid; may be empty
	AuthTime  int64    // Unix seconds; 0: not said
	ExpiresAt int64    // Unix seconds; may be long past
}

// VerifyIDHint reads an ID token of ours that comes back as id_token_hint. An
// expired one is still a hint (OpenID Connect RP-Initiated Logout 1.0, 2), an
// access token never is. Any failure is Invalid with ReasonInvalidHint.
func (s *KeySet) VerifyIDHint(ctx context.Context, token string) (IDHint, error) {
	hint, err := s.readHint(ctx, token)
	if err != nil {
		return IDHint{}, fault.New(fault.Invalid, ReasonInvalidHint,
			"The id_token_hint is not an ID token of this server.").At("id_token_hint").Because(err)
	}
	return hint, nil
}

func (s *KeySet) readHint(ctx context.Context, token string) (IDHint, error) {
	_, payload, err := s.open(ctx, token, func(typ string) bool { return isPlain(typ) || typ == "" })
	if err != nil {
		return IDHint{}, err
	}
	var c struct {
		Issuer    string   `json:"iss"`
		Subject   string   `json:"sub"`
		Audience  audience `json:"aud"`
		SessionID string   `json:"sid"`
		AuthTime  int64    `json:"auth_time"`
		ExpiresAt int64    `json:"exp"`
		Use       string   `json:"token_use"`
	}
	if err := json.Unmarshal(payload, &c); err != nil {
		return IDHint{}, fmt.Errorf("claims: %w", err)
	}
	if c.Issuer != s.with.Issuer || c.Subject == "" || c.Use != "" {
		return IDHint{}, fmt.Errorf("issuer is %q, subject %q, token_use %q", c.Issuer, c.Subject, c.Use)
	}
	return IDHint{
		Subject: c.Subject, Audience: c.Audience, SessionID: c.SessionID,
		AuthTime: c.AuthTime, ExpiresAt: c.ExpiresAt,
	}, nil
}

// isPlain reports whether a typ as open gives it is that of ID tokens, and of
// access tokens that say so by their token_use.
func isPlain(typ string) bool { return typ == strings.ToLower(typePlain) }

// open returns the name of the key and the payload of a compact JWS that a
// published key signed with its own algorithm and whose typ is wanted. The typ comes in
// lower case and without the prefix that RFC 7515, 4.1.9 lets one leave out.
func (s *KeySet) open(ctx context.Context, token string, wanted func(typ string) bool) (string, []byte, error) {
	jws, err := ParseCompact(token, maxToken, signatures()...)
	if err != nil {
		return "", nil, err
	}
	header := jws.Signatures[0].Protected
	typ, _ := header.ExtraHeaders[jose.HeaderType].(string)
	if !wanted(strings.TrimPrefix(strings.ToLower(typ), "application/")) {
		return "", nil, fmt.Errorf("typ is %q", typ)
	}
	k := s.find(ctx, header.KeyID)
	if k == nil {
		return "", nil, fmt.Errorf("no published signing key is called %q", header.KeyID)
	}
	if header.Algorithm != k.algorithm {
		return "", nil, fmt.Errorf("alg is %q, and the key signs with %s", header.Algorithm, k.algorithm)
	}
	payload, err := jws.Verify(k.public)
	return k.kid, payload, err
}

// audience is an aud claim: one string or several.
type audience []string

func (a *audience) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*a = audience{one}
		return nil
	}
	var several []string
	err := json.Unmarshal(data, &several)
	*a = several
	return err
}
