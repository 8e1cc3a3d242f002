// Package bearer says who a bearer token speaks for: it takes the token from a
// request, has its signature checked, asks once what has become of everything
// behind it, and hands a Caller to the handlers.
//
// It signs nothing (internal/gate/signing) and decides nothing about folders or
// accounts (the areas). Start at Authenticator; middleware.go has what routes
// are wrapped in.
package bearer

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/dpop"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/storage"
)

// Reasons of the faults of this package.
const (
	ReasonInvalidRequest      = "invalid_request"
	ReasonMissingToken        = "missing_token"
	ReasonInvalidToken        = signing.ReasonInvalidToken
	ReasonInsufficientScope   = "insufficient_scope"
	ReasonTwoLeggedRequired   = "two_legged_required"
	ReasonThreeLeggedRequired = "three_legged_required"
)

// Caller is who a bearer token speaks for.
type Caller struct {
	ClientID  string
	UserID    string // user or service account; empty: the client itself
	GrantID   string // the grant the token came from; may be empty
	KeyID     string // the service account's key that the token came from; empty for a person
	JTI       string
	Bound     signing.Bound
	Scopes    []string  // the token's, as far as its client still may ask for them
	IssuedAt  time.Time // of the token
	ExpiresAt time.Time // of the token
}

// TwoLegged reports whether no user stands behind the caller.
func (c Caller) TwoLegged() bool { return c.UserID == "" }

// ServiceAccount reports whether the user is a service account.
func (c Caller) ServiceAccount() bool { return c.KeyID != "" }

// Has reports whether the token carries the scope.
func (c Caller) Has(scope string) bool { return slices.Contains(c.Scopes, scope) }

// Verifier checks access tokens: *signing.KeySet.
type Verifier interface {
	// VerifyAccess returns the claims of a token that is ours and has not
	// expired, or an Unauthenticated fault.
	VerifyAccess(ctx context.Context, token string) (signing.AccessClaims, error)
}

// Tokens knows what has ended or was narrowed before its time:
// storage.GrantStore.
type Tokens interface {
	TokenState(ctx context.Context, query storage.TokenQuery) (storage.TokenState, error)
}

// Options are what an Authenticator is made of.
type Options struct {
	Keys   Verifier
	Tokens Tokens

	// Proofs judges what comes with tokens that are bound to a key; nil: nobody can
	// use those.
	Proofs *dpop.Proofs

	// Registered says whether a client that is registered for scopes may have
	// the one: scope.Registered.
	Registered func(registered []string, scope string) bool
}

// Authenticator finds out who makes a request. It is safe for concurrent use.
type Authenticator struct {
	keys       Verifier
	tokens     Tokens
	proofs     *dpop.Proofs
	registered func(registered []string, scope string) bool
}

// New returns an authenticator.
func New(options Options) *Authenticator {
	return &Authenticator{keys: options.Keys, tokens: options.Tokens, proofs: options.Proofs,
		registered: options.Registered}
}

// Check returns the caller of a token: the signature is checked without a
// round trip, then one look-up asks whether token, grant, client, user and key are
// still in order, and which scopes the client still has. Whether it is theirs who
// bring it is not asked: that is Authenticate's. Unauthenticated with
// ReasonInvalidToken when they are not; other faults are the store's.
func (a *Authenticator) Check(ctx context.Context, token string) (Caller, error) {
	claims, err := a.keys.VerifyAccess(ctx, token)
	if err != nil {
		return Caller{}, err
	}
	issuedAt := time.Unix(claims.IssuedAt, 0).UTC()
	state, err := a.tokens.TokenState(ctx, storage.TokenQuery{
		IssuedAt: issuedAt, JTI: claims.JTI, ClientID: claims.ClientID,
		GrantID: claims.GrantID, UserID: claims.UserID, KeyID: claims.KeyID,
	})
	if err != nil {
		return Caller{}, err
	}
	if !state.Active {
		return Caller{}, invalidToken("revoked, or its grant, client or user has ended")
	}
	bound := signing.Bound{}
	if claims.Bound != nil {
		bound = *claims.Bound
	}
	return Caller{
		Bound: bound, ClientID: claims.ClientID, UserID: claims.UserID, GrantID: claims.GrantID, KeyID: claims.KeyID,
		JTI: claims.JTI, Scopes: a.held(claims.Scopes(), state.Scopes), IssuedAt: issuedAt, ExpiresAt: claims.Expiry(),
	}, nil
}

// held returns those of scopes that a client still has.
func (a *Authenticator) held(scopes, registered []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return !a.registered(registered, scope) })
}

func invalidToken(why string) error {
	return fault.New(fault.Unauthenticated, ReasonInvalidToken,
		"The access token is invalid or has expired.").Because(errors.New(why))
}

type callerKey struct{}

// With returns a context that carries the caller.
func With(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// From returns the context's caller; false when nobody was authenticated.
func From(ctx context.Context) (Caller, bool) {
	caller, ok := ctx.Value(callerKey{}).(Caller)
	return caller, ok
}
