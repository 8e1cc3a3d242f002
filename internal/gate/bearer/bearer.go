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
	"strings"
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
	ReasonWeakSignIn          = "insufficient_user_authentication" // RFC 9470, 3
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
	Profile   string // the client's rule book, which package clientprofile knows
	Bound     signing.Bound
	Scopes    []string  // the token's, as far as its client still may ask for them
	IssuedAt  time.Time // of the token
	ExpiresAt time.Time // of the token

	Audience []string       // what the token is for
	Actor    *signing.Actor // who acts for the user; nil: they do themselves
	Origins  []signing.Origin
	ACR      string    // how strongly the user was proven; empty: it is not known
	AuthTime time.Time // and when
}

// TwoLegged reports whether no user stands behind the caller.
func (c Caller) TwoLegged() bool { return c.UserID == "" }

// ServiceAccount reports whether the user is a service account.
func (c Caller) ServiceAccount() bool { return c.KeyID != "" }

// Has reports whether the token carries the scope.
func (c Caller) Has(scope string) bool { return slices.Contains(c.Scopes, scope) }

// Resources knows what tokens are for, beside our own APIs.
type Resources interface {
	// Held returns those of a token's scopes that the resources among its audience
	// still have for the client, which is registered for others; false when none of
	// them takes such a token any more. Our own APIs always do, and are not asked about alone.
	Held(ctx context.Context, audience []string, clientID string, issuedAt time.Time,
		registered, scopes []string) (held []string, stands bool, err error)

	// Exchangeable reports whether what a token is for, or some of it, is among what
	// its client may have tokens for in exchange.
	Exchangeable(exchangeFor, audience []string) bool

	// Demanded returns how strongly people have to have been proven for the resource,
	// and since when, which is maxAge ago; zero values where it does not matter.
	Demanded(ctx context.Context, audience string) (acr string, maxAge time.Duration, since time.Time, err error)
}

// Tokens knows what has ended or was narrowed before its time:
// storage.GrantStore.
type Tokens interface {
	TokenState(ctx context.Context, query storage.TokenQuery) (storage.TokenState, error)
}

// Options are what an Authenticator is made of.
type Options struct {
	Keys   *signing.KeySet
	Tokens Tokens

	// Proofs judges what comes with tokens that are bound to a key; nil: nobody can
	// use those.
	Proofs *dpop.Proofs

	// ProofAlgorithms says what clients of a profile may sign proofs with:
	// clientprofile.ProofAlgorithms; nil: whatever there is.
	ProofAlgorithms func(profile string) []string

	// Resources are those there are; nil: our own APIs alone.
	Resources Resources

	// Registered says whether a client that is registered for scopes may have
	// the one: scope.Registered.
	Registered func(registered []string, scope string) bool
}

// Authenticator finds out who makes a request. It is safe for concurrent use.
type Authenticator struct {
	keys       *signing.KeySet
	tokens     Tokens
	proofs     *dpop.Proofs
	algorithms func(profile string) []string
	resources  Resources
	audience   string
	inside     bool // requests come from this process, with their callers
	registered func(registered []string, scope string) bool
}

// New returns an authenticator.
func New(options Options) *Authenticator {
	if options.ProofAlgorithms == nil {
		options.ProofAlgorithms = func(string) []string { return nil }
	}
	return &Authenticator{keys: options.Keys, tokens: options.Tokens, proofs: options.Proofs,
		algorithms: options.ProofAlgorithms,
		resources:  options.Resources, audience: options.Keys.Audience(), registered: options.Registered}
}

// For returns an authenticator that takes tokens for the resource, and no others.
func (a *Authenticator) For(audience string) *Authenticator {
	other := *a
	other.audience = audience
	return &other
}

// Inside returns an authenticator for requests that this process makes of itself for a
// caller who was let in: whoever is With the context is the caller, and nobody else. It
// must never be asked about requests of others.
func (a *Authenticator) Inside() *Authenticator {
	other := *a
	other.inside = true
	return &other
}

// Check returns the caller of a token that is for us: the signature is checked without
// a round trip, then one look-up asks whether token, grant, client, user and key are
// still in order, and which scopes the client still has. Whether it is theirs who
// bring it is not asked: that is Authenticate's. Unauthenticated with
// ReasonInvalidToken when they are not; other faults are the store's.
func (a *Authenticator) Check(ctx context.Context, token string) (Caller, error) {
	return a.check(ctx, token, a.audience)
}

// CheckAny is Check for a token for any resource: whoever asks has to judge whether
// the Audience of the caller is any of theirs.
func (a *Authenticator) CheckAny(ctx context.Context, token string) (Caller, error) {
	return a.check(ctx, token, "")
}

func (a *Authenticator) check(ctx context.Context, token, audience string) (Caller, error) {
	claims, err := a.keys.VerifyAccessFor(ctx, token, audience)
	if err != nil {
		return Caller{}, err
	}
	caller := callerOf(claims)
	state, err := a.tokens.TokenState(ctx, storage.TokenQuery{
		IssuedAt: caller.IssuedAt, JTI: claims.JTI, ClientID: claims.ClientID,
		GrantID: claims.GrantID, UserID: claims.UserID, KeyID: claims.KeyID,
	})
	if err != nil {
		return Caller{}, err
	}
	if !state.Active {
		return Caller{}, invalidToken("revoked, or its grant, client or user has ended")
	}
	caller.Profile = state.Profile
	if state.ACR != "" {
		caller.ACR, caller.AuthTime = state.ACR, state.AuthTime
	}
	if caller.Scopes, err = a.held(ctx, claims, audience, state.Scopes); err == nil {
		caller.Scopes, err = a.originsHold(ctx, claims, audience, state, caller.Scopes)
	}
	return caller, err
}

func callerOf(claims signing.AccessClaims) Caller {
	caller := Caller{
		ClientID: claims.ClientID, UserID: claims.UserID, GrantID: claims.GrantID, KeyID: claims.KeyID, JTI: claims.JTI,
		IssuedAt: time.Unix(claims.IssuedAt, 0).UTC(), ExpiresAt: claims.Expiry(),
		Audience: claims.Audience, Actor: claims.Actor, Origins: claims.Origins, ACR: claims.ACR,
	}
	if claims.Bound != nil {
		caller.Bound = *claims.Bound
	}
	if claims.AuthTime != 0 {
		caller.AuthTime = time.Unix(claims.AuthTime, 0).UTC()
	}
	return caller
}

// originsHold returns those of the scopes that the tokens have, too, which this one was
// exchanged for, as few were: where one of them has ended this one has, and where a
// client may not exchange for what it did any more, or not without saying that it acts.
func (a *Authenticator) originsHold(ctx context.Context, claims signing.AccessClaims, audience string,
	given storage.TokenState, scopes []string) ([]string, error) {
	heldFor, client, actor := judged(claims.Audience, audience), claims.ClientID, claims.Actor
	for _, origin := range claims.Origins {
		switch {
		case a.resources == nil || !a.resources.Exchangeable(given.ExchangeFor, heldFor):
			return nil, invalidToken("its client may not exchange tokens for this any more")
		case actor != nil && actor.Subject == client:
			actor = actor.Actor
		case !given.Impersonates:
			return nil, invalidToken("its client may not pass for anybody any more")
		}
		state, err := a.tokens.TokenState(ctx, storage.TokenQuery{
			JTI: origin.JTI, ClientID: origin.ClientID, UserID: claims.UserID, IssuedAt: time.Unix(origin.IssuedAt, 0),
		})
		if err != nil {
			return nil, err
		}
		if !state.Active {
			return nil, invalidToken("the token that it was exchanged for has ended")
		}
		was := signing.AccessClaims{Audience: origin.Audience, ClientID: origin.ClientID, IssuedAt: origin.IssuedAt,
			Scope: strings.Join(scopes, " ")}
		if scopes, err = a.held(ctx, was, "", state.Scopes); err != nil {
			return nil, err
		}
		given, heldFor, client = state, origin.Audience, origin.ClientID
	}
	return scopes, nil
}

// judged is what of a token's audience is asked about; all for "".
func judged(audience []string, one string) []string {
	if one == "" {
		return audience
	}
	return []string{one}
}

// held returns those of the token's scopes that its client still has for the audience,
// or for any of those of the token.
func (a *Authenticator) held(ctx context.Context, claims signing.AccessClaims, audience string,
	registered []string) ([]string, error) {
	if asked := judged(claims.Audience, audience); len(asked) == 1 && asked[0] == a.keys.Audience() {
		return a.registeredOf(claims.Scopes(), registered), nil
	}
	if a.resources == nil {
		return nil, invalidToken("there are no resources but our own")
	}
	held, stands, err := a.resources.Held(ctx, judged(claims.Audience, audience), claims.ClientID,
		time.Unix(claims.IssuedAt, 0), registered,
		claims.Scopes())
	if err == nil && !stands {
		err = invalidToken("the resource does not take it any more")
	}
	return held, err
}

// registeredOf returns those of scopes that a client still has.
func (a *Authenticator) registeredOf(scopes, registered []string) []string {
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
