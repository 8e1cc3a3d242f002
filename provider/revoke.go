package provider

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/storage"
)

// revoke serves POST of revokePath (RFC 7009, decision T8).
func (p *Provider) revoke(w http.ResponseWriter, r *http.Request) error {
	form, err := readTokenForm(w, r)
	if err != nil {
		return err
	}
	c, err := p.authenticateClient(w, r, form, ratelimit.Revoke)
	if err != nil {
		return err
	}
	if form.Get("token") == "" {
		return fault.New(fault.Invalid, "invalid_request", "The parameter token is missing.")
	}
	if err := checkHint(c, form.Get("token_type_hint")); err != nil {
		return err
	}
	if err := p.revokeToken(r.Context(), c, form.Get("token")); err != nil {
		return err
	}
	noStore(w)
	w.WriteHeader(http.StatusOK)
	return nil
}

func checkHint(c *client, hint string) error {
	switch hint {
	case "access_token", "refresh_token":
		return nil
	case "":
		if c.profile.TokenTypeHintRequired() {
			return fault.New(fault.Invalid, "invalid_request",
				"The parameter token_type_hint is missing; it is access_token or refresh_token.")
		}
		return nil
	}
	return fault.New(fault.Invalid, "unsupported_token_type", "The token_type_hint must be access_token or refresh_token.")
}

// revokeToken ends the client's own token, whatever the hint said. A refresh
// token takes its grant along, whichever generation it is of: the whole family
// was meant. What is unknown or somebody else's stays as it is, and the answer
// does not tell.
func (p *Provider) revokeToken(ctx context.Context, c *client, token string) error {
	act := p.act(ctx, storage.Actor{Kind: storage.ActorClient, ID: c.ID})
	if grantID, _, ok := p.refresh.parse(token); ok {
		grant, err := p.store.FindGrant(ctx, grantID)
		if fault.Is(err, fault.NotFound) || err == nil && grant.ClientID != c.ID {
			return nil
		}
		if err != nil {
			return err
		}
		return p.store.RevokeGrant(ctx, act, grantID)
	}
	claims, err := p.keys.VerifyAccessFor(ctx, token, "")
	if fault.Is(err, fault.Unauthenticated) || err == nil && claims.ClientID != c.ID {
		return nil
	}
	if err != nil {
		return err
	}
	return p.store.RevokeToken(ctx, act, claims.JTI, claims.Expiry())
}
