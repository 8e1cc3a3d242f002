package signing

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/jwt"
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
	return s.VerifyAccessFor(ctx, token, s.with.Audience)
}

// VerifyAccessFor is VerifyAccess for a token that has the audience among its own; ""
// stands for any, and then whoever asks has to judge that.
func (s *KeySet) VerifyAccessFor(ctx context.Context, token, audience string) (AccessClaims, error) {
	claims, err := s.verifyAccess(ctx, token)
	if err == nil && audience != "" && !slices.Contains(claims.Audience, audience) {
		err = fmt.Errorf("audience is %q", claims.Audience)
	}
	if err != nil {
		return AccessClaims{}, fault.New(fault.Unauthenticated, ReasonInvalidToken,
			"The access token is invalid or has expired.").Because(err)
	}
	return claims, nil
}

func (s *KeySet) verifyAccess(ctx context.Context, token string) (AccessClaims, error) {
	name := nameOf(token)
	found, ok := s.seen.get(name)
	s.lookups.count(ok)
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
// published, whoever asks; the verdict may be cached.
func (s *KeySet) readAccess(ctx context.Context, token string) (verified, error) {
	header, payload, err := s.open(ctx, token, jwt.TypeAccess, jwt.TypePlain)
	if err != nil {
		return verified{}, err
	}
	var c AccessClaims
	if err := jwt.Read(payload, &c); err != nil {
		return verified{}, err
	}
	switch {
	case (header.Type == jwt.TypePlain) != (c.Use == UseAccess):
		return verified{}, fmt.Errorf("token_use is %q, which does not go with the typ", c.Use)
	case c.Issuer != s.with.Issuer:
		return verified{}, fmt.Errorf("issuer is %q", c.Issuer)
	case len(c.Audience) == 0:
		return verified{}, errors.New("aud is missing")
	case c.Subject == "" || c.ClientID == "" || c.JTI == "":
		return verified{}, errors.New("sub, client_id or jti is missing")
	}
	return verified{kid: header.KeyID, claims: c}, nil
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
	_, payload, err := s.open(ctx, token, jwt.TypePlain, jwt.TypeNone)
	if err != nil {
		return IDHint{}, err
	}
	var c struct {
		Issuer    string      `json:"iss"`
		Subject   string      `json:"sub"`
		Audience  jwt.Strings `json:"aud"`
		SessionID string      `json:"sid"`
		AuthTime  int64       `json:"auth_time"`
		ExpiresAt int64       `json:"exp"`
		Use       string      `json:"token_use"`
	}
	if err := jwt.Read(payload, &c); err != nil {
		return IDHint{}, err
	}
	if c.Issuer != s.with.Issuer || c.Subject == "" || c.Use != "" {
		return IDHint{}, fmt.Errorf("issuer is %q, subject %q, token_use %q", c.Issuer, c.Subject, c.Use)
	}
	return IDHint{
		Subject: c.Subject, Audience: c.Audience, SessionID: c.SessionID,
		AuthTime: c.AuthTime, ExpiresAt: c.ExpiresAt,
	}, nil
}

// open returns the header and the payload of a token of one of the types that a
// published key signed with its own algorithm.
func (s *KeySet) open(ctx context.Context, token string, types ...string) (jwt.Header, []byte, error) {
	return jwt.Use{
		Types: types, Algorithms: Algorithms(), Longest: maxToken,
		Key: func(ctx context.Context, header jwt.Header) (crypto.PublicKey, error) {
			k := s.find(ctx, header.KeyID)
			if k == nil {
				return nil, fmt.Errorf("no published signing key is called %q", header.KeyID)
			}
			if header.Algorithm != k.algorithm {
				return nil, fmt.Errorf("alg is %q, and the key signs with %s", header.Algorithm, k.algorithm)
			}
			return k.public, nil
		},
	}.Open(ctx, token)
}
