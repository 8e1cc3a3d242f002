package provider

import (
	"cmp"
	"context"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// introspection is the answer of S1 2.6. An inactive token's is active alone.
type introspection struct {
	Active bool `json:"active"`
	*tokenFacts
}

// tokenFacts is what is told of an active token.
type tokenFacts struct {
	Scope    string `json:"scope"` // space-separated (decision T7); may be empty
	ClientID string `json:"client_id"`
	Exp      int64  `json:"exp"`
	UserID   string `json:"userid,omitempty"`

	TokenType string         `json:"token_type,omitempty"` // of a token that is bound: how it is presented
	Bound     *signing.Bound `json:"cnf,omitempty"`

	Issuer   string         `json:"iss,omitempty"` // this and what follows to resources alone
	Subject  string         `json:"sub,omitempty"`
	Audience jwt.Strings    `json:"aud,omitempty"`
	IssuedAt int64          `json:"iat,omitempty"`
	JTI      string         `json:"jti,omitempty"`
	AuthTime int64          `json:"auth_time,omitempty"`
	ACR      string         `json:"acr,omitempty"`
	Actor    *signing.Actor `json:"act,omitempty"`
}

// introspect serves POST of introspectPath (decision T7).
func (p *Provider) introspect(w http.ResponseWriter, r *http.Request) error {
	form, err := readTokenForm(w, r)
	if err != nil {
		return err
	}
	c, err := p.authenticateClient(w, r, form, ratelimit.Introspect)
	if err != nil {
		return err
	}
	token := form.Get("token")
	if token == "" {
		return fault.New(fault.Invalid, "invalid_request", "The parameter token is missing.")
	}
	answer, err := p.describeToken(r.Context(), c, token)
	if err != nil {
		return err
	}
	noStore(w)
	if wantsSigned(r, c) {
		return answers{p}.introspected(r.Context(), w, c, answer)
	}
	httpio.WriteJSON(w, http.StatusOK, jsonType, answer)
	return nil
}

// describeToken answers for the client's own live access and refresh tokens, and for
// access tokens for a resource that is the client's; of any other it tells nothing, not even that it exists.
func (p *Provider) describeToken(ctx context.Context, c *client, token string) (introspection, error) {
	if grantID, generation, ok := p.refresh.parse(token); ok {
		return p.describeRefreshToken(ctx, c, grantID, generation)
	}
	caller, err := p.bearer.CheckAny(ctx, token)
	if fault.Is(err, fault.Unauthenticated) {
		return introspection{}, nil
	}
	if err != nil {
		return introspection{}, err
	}
	own, err := p.resources.OfClient(ctx, c.ID, caller.Audience)
	switch {
	case err != nil:
		return introspection{}, err
	case len(own) > 0:
		return p.describeSent(ctx, own, token)
	case caller.ClientID != c.ID:
		return introspection{}, nil
	}
	return introspection{true, factsOf(caller)}, nil
}

func factsOf(caller bearer.Caller) *tokenFacts {
	facts := &tokenFacts{
		Scope: scope.Format(caller.Scopes), ClientID: caller.ClientID, Exp: caller.ExpiresAt.Unix(), UserID: caller.UserID,
	}
	if caller.Bound != (signing.Bound{}) {
		facts.TokenType, facts.Bound = caller.Bound.TokenType(), &caller.Bound
	}
	return facts
}

// describeSent answers for an access token that was sent to resources of a client, as they
// are to see it.
func (p *Provider) describeSent(ctx context.Context, resources []string, token string) (introspection, error) {
	caller, taken, err := takenBy(ctx, p, resources, token)
	if fault.Is(err, fault.Unauthenticated) {
		return introspection{}, nil
	}
	if err != nil {
		return introspection{}, err
	}
	caller.Audience = without(caller.Audience, without(resources, taken))
	facts := factsOf(caller)
	facts.tell(p.issuer, caller)
	return introspection{true, facts}, nil
}

// tell adds what a resource wants to know of a token that it was sent (RFC 7662, 2.2).
func (f *tokenFacts) tell(issuer string, caller bearer.Caller) {
	f.TokenType = caller.Bound.TokenType()
	f.Issuer, f.Subject, f.Audience, f.JTI = issuer, cmp.Or(caller.UserID, caller.ClientID), caller.Audience, caller.JTI
	f.IssuedAt, f.ACR, f.Actor = caller.IssuedAt.Unix(), caller.ACR, caller.Actor
	if !caller.AuthTime.IsZero() {
		f.AuthTime = caller.AuthTime.Unix()
	}
}

func (p *Provider) describeRefreshToken(ctx context.Context, c *client, grantID string,
	generation int) (introspection, error) {
	grant, err := p.store.FindGrant(ctx, grantID)
	if fault.Is(err, fault.NotFound) {
		return introspection{}, nil
	}
	if err != nil || grant.ClientID != c.ID || !p.live(grant, generation) {
		return introspection{}, err
	}
	state, err := p.store.TokenState(ctx, storage.TokenQuery{ClientID: c.ID, GrantID: grantID, UserID: grant.UserID})
	if err != nil || !state.Active {
		return introspection{}, err
	}
	target, err := p.resources.Since(ctx, c.ID, grant.Resources, grant.CreatedAt)
	if fault.Is(err, fault.Invalid) {
		return introspection{}, nil
	}
	if err != nil {
		return introspection{}, err
	}
	return introspection{true, &tokenFacts{
		Scope: scope.Format(narrow(grant.Scopes, c, target)), ClientID: c.ID,
		Exp: grant.ExpiresAt.Unix(), UserID: grant.UserID,
	}}, nil
}

// live reports whether the generation is the grant's current one and in time.
func (p *Provider) live(grant storage.Grant, generation int) bool {
	return grant.RevokedAt.IsZero() && grant.Generation == generation && p.ambient.Now().Before(grant.ExpiresAt)
}
