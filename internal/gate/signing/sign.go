package signing

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/jwt"
)

// AccessClaims are what an access token says (decision T1, RFC 9068). They are
// written in this order. Times are Unix seconds.
type AccessClaims struct {
	Issuer    string      `json:"iss"`                 // set by SignAccess
	Subject   string      `json:"sub"`                 // user, service account or, two-legged, client
	Audience  jwt.Strings `json:"aud"`                 // whom it is for; SignAccess sets it where it is empty
	ClientID  string      `json:"client_id"`           // who asked for it
	IssuedAt  int64       `json:"iat"`                 //
	ExpiresAt int64       `json:"exp"`                 //
	JTI       string      `json:"jti"`                 // names the token for revocation
	Scope     string      `json:"scope"`               // separated by single spaces
	UserID    string      `json:"userid,omitempty"`    // user or service account; empty: two-legged
	GrantID   string      `json:"gid,omitempty"`       // the grant it came from, if any
	KeyID     string      `json:"akid,omitempty"`      // the key of the service account that proved it, if any
	Bound     *Bound      `json:"cnf,omitempty"`       // nil: whoever has the token may use it
	ACR       string      `json:"acr,omitempty"`       // how strongly the person was proven
	AuthTime  int64       `json:"auth_time,omitempty"` // and when
	Actor     *Actor      `json:"act,omitempty"`       // who acts for the subject; nil: it does itself
	Origins   []Origin    `json:"origin,omitempty"`    // the tokens that it was exchanged for, the last first

	// Use is UseAccess in a token of typ JWT, and then tells it from an ID token;
	// empty in one of typ at+jwt.
	Use string `json:"token_use,omitempty"`
}

// Bound is what whoever uses a token has to prove that they have (RFC 7800, 3.1).
type Bound struct {
	Key         string `json:"jkt,omitempty"`      // thumbprint of a public key (RFC 9449, 6.1)
	Certificate string `json:"x5t#S256,omitempty"` // the same of the client's certificate (RFC 8705, 3.1)
}

// Actor is a client that acts for whoever a token is about (RFC 8693, 4.1).
type Actor struct {
	Subject string `json:"sub"`
	Actor   *Actor `json:"act,omitempty"` // who acted before, and sent it the token
}

// Depth is how many act.
func (a *Actor) Depth() int {
	if a == nil {
		return 0
	}
	return 1 + a.Actor.Depth()
}

// Origin is a token that another was exchanged for: it ends that one with itself.
type Origin struct {
	JTI      string `json:"jti"`
	ClientID string `json:"client_id"`
	IssuedAt int64  `json:"iat"`

	// Audience is as whose resources' it was exchanged.
	Audience jwt.Strings `json:"aud"`
}

// TokenType is how a token that is bound so is presented (RFC 9449, 5).
func (b Bound) TokenType() string {
	if b.Key != "" {
		return "DPoP"
	}
	return "Bearer"
}

// UseAccess is the Use of access tokens of typ JWT.
const UseAccess = "access"

// Scopes returns the scope as a list.
func (c AccessClaims) Scopes() []string { return strings.Fields(c.Scope) }

// Expiry returns the time from which on the token is void.
func (c AccessClaims) Expiry() time.Time { return time.Unix(c.ExpiresAt, 0).UTC() }

// SignAccess returns the access token with the claims, as a compact JWS with
// typ at+jwt, or JWT where claims.Use says so. Issuer is filled in, and so is our own
// Audience where claims has none.
// The algorithm is one of Algorithms, "" for the first. It is Unavailable while no
// key of it may sign yet.
func (s *KeySet) SignAccess(ctx context.Context, algorithm string, claims AccessClaims) (string, error) {
	claims.Issuer = s.with.Issuer
	if len(claims.Audience) == 0 {
		claims.Audience = jwt.Strings{s.with.Audience}
	}
	if claims.Use == UseAccess {
		return s.sign(ctx, algorithm, typePlain, claims)
	}
	return s.sign(ctx, algorithm, typeAccess, claims)
}

// SignID returns an ID token with the claims, a struct or a map that encodes to
// a JSON object (maps are written in the order of their names), by the algorithm
// as SignAccess does.
func (s *KeySet) SignID(ctx context.Context, algorithm string, claims any) (string, error) {
	return s.sign(ctx, algorithm, typePlain, claims)
}

// SignLogout returns a logout token with the claims, as SignID does, with typ
// logout+jwt.
func (s *KeySet) SignLogout(ctx context.Context, algorithm string, claims any) (string, error) {
	return s.sign(ctx, algorithm, typeLogout, claims)
}

// SignIntroduction returns what another server is told of a person for an app, as SignID
// does, with typ oauth-id-jag+jwt.
func (s *KeySet) SignIntroduction(ctx context.Context, algorithm string, claims any) (string, error) {
	return s.sign(ctx, algorithm, jwt.TypeVouching, claims)
}

// SignAnswer returns an answer of authorize with its parameters (JARM 2.1), as SignID
// does. It has no sub, so it is no ID token.
func (s *KeySet) SignAnswer(ctx context.Context, algorithm string, parameters map[string]any) (string, error) {
	return s.sign(ctx, algorithm, typePlain, parameters)
}

// SignIntrospection returns an answer of introspection (RFC 9701), as SignID does.
func (s *KeySet) SignIntrospection(ctx context.Context, algorithm string, claims any) (string, error) {
	return s.sign(ctx, algorithm, typeIntrospection, claims)
}

func (s *KeySet) sign(ctx context.Context, algorithm, typ string, claims any) (string, error) {
	of, err := familyOf(algorithm)
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("encoding claims: %w", err)
	}
	k := s.current(ctx).lines[of.algorithm].signer(s.with.Ambient.Now())
	if k == nil {
		return "", fault.Newf(fault.Unavailable, "no_signing_key", "No key signs with %s at present.", of.algorithm)
	}
	if err := s.enter(ctx); err != nil {
		return "", err
	}
	defer s.leave()
	return k.compact(s.with.Ambient.Random(), typ, payload)
}

// enter waits for a processor to sign on: more signatures at once than there
// are processors would only make each of them slower. Who waited is woken to run at once, and
// wakes the next so: they step aside once, or what others have sent is not even read before
// nobody waits any more.
func (s *KeySet) enter(ctx context.Context) error {
	select {
	case s.signing <- struct{}{}:
		return nil
	default:
	}
	select {
	case s.signing <- struct{}{}:
		runtime.Gosched()
		return nil
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "busy", "The server is busy.").Because(ctx.Err())
	}
}

func (s *KeySet) leave() { <-s.signing }
