package provider

import (
	"context"
	"maps"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// userInfo serves GET and POST of userInfoPath (decision U1).
func (p *Provider) userInfo(w http.ResponseWriter, r *http.Request) error {
	caller, err := p.userInfoCaller(w, r)
	if err != nil {
		return err
	}
	if caller.TwoLegged() {
		return fault.New(fault.Unauthenticated, "invalid_token",
			"User info needs a three-legged token: this one speaks for no user.")
	}
	c, err := p.userInfoClient(r.Context(), caller)
	if err != nil {
		return err
	}
	claims, err := p.userInfoClaims(r.Context(), caller, c)
	if err != nil {
		return err
	}
	noStore(w)
	httpio.WriteJSON(w, http.StatusOK, jsonType, claims)
	return nil
}

func (p *Provider) userInfoCaller(w http.ResponseWriter, r *http.Request) (bearer.Caller, error) {
	if r.Method == http.MethodPost && r.ContentLength != 0 {
		return p.bearer.AuthenticateForm(w, r)
	}
	return p.bearer.Authenticate(r)
}

// userInfoClient returns the token's client, and holds the token to its
// profile: an OpenID Connect client's needs openid. A service account can't
// have it, and is told of itself without.
func (p *Provider) userInfoClient(ctx context.Context, caller bearer.Caller) (*client, error) {
	c, err := p.clients.find(ctx, caller.ClientID)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.Unauthenticated, "invalid_token", "The token's client is no longer active.")
	}
	if err != nil {
		return nil, err
	}
	if c.profile.UserInfoNeedsOpenID() && !caller.Has(scope.OpenID) && !caller.ServiceAccount() {
		return nil, fault.New(fault.Forbidden, "insufficient_scope", "User info needs the scope openid.").At(scope.OpenID)
	}
	return c, nil
}

func (p *Provider) userInfoClaims(ctx context.Context, caller bearer.Caller, c *client) (map[string]any, error) {
	if caller.ServiceAccount() {
		return p.accountInfo(ctx, caller.UserID)
	}
	user, err := p.userFor(ctx, caller.UserID)
	if fault.Is(err, fault.Gone) {
		return nil, fault.New(fault.Unauthenticated, "invalid_token", "The token's user is no longer active.")
	}
	if err != nil {
		return nil, err
	}
	claims := personClaims(user, caller.Scopes)
	if err := tellAccounts(ctx, p.elsewhere, claims, user.ID); err != nil {
		return nil, err
	}
	var grant storage.Grant
	if caller.GrantID != "" {
		grant, err = p.store.FindGrant(ctx, caller.GrantID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		maps.Copy(claims, requestedClaims(grant.Claims, "userinfo", user, c.Scopes))
	}
	groups, err := p.groupClaims(ctx, user, caller.Scopes, grant.Claims, "userinfo", c)
	if err != nil {
		return nil, err
	}
	maps.Copy(claims, groups)
	claims["sub"] = user.ID
	return claims, nil
}

// accountInfo tells of a service account what it has: an id, a name and an
// address (decision U1). There is nobody whose consent could be asked.
func (p *Provider) accountInfo(ctx context.Context, id string) (map[string]any, error) {
	account, err := p.store.FindServiceAccount(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.Unauthenticated, "invalid_token", "The token's service account is gone.")
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{"sub": account.ID, "name": account.Name, "email": account.Email}, nil
}
