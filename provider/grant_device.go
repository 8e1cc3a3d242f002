package provider

import (
	"context"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// deviceGrant gives a device what a person allowed elsewhere (RFC 8628).
var deviceGrant = grantType{
	name:     "urn:ietf:params:oauth:grant-type:device_code",
	mayUse:   clientprofile.ServesDevices,
	required: []string{"device_code"},
	handlers: func(t tools) []tokenHandler {
		return []tokenHandler{&deviceHandler{t.provider, t.store, t.strategy}}
	},
}

// deviceHandler is the framework's handler for the device grant, of which the
// framework has none.
type deviceHandler struct {
	provider *Provider
	store    *grantStore
	strategy *strategy
}

// HandleTokenEndpointRequest finds what the person allowed. A scope beside the code
// counts for nothing: some libraries repeat what they asked for.
func (h *deviceHandler) HandleTokenEndpointRequest(ctx context.Context, request fosite.AccessRequester) error {
	c, own := request.GetClient().(*client), request.GetSession().(*session)
	code, err := h.provider.devices.Ask(ctx, c.ID, request.GetRequestForm().Get("device_code"))
	if err != nil {
		return err
	}
	own.code = &code
	scopes, err := h.store.speakForCode(ctx, own, c)
	if err != nil {
		return err
	}
	for _, one := range scopes {
		request.GrantScope(one)
	}
	return nil
}

// PopulateTokenEndpointResponse signs, and then spends the code: of those who ask at
// the same moment one gets the tokens.
func (h *deviceHandler) PopulateTokenEndpointResponse(ctx context.Context, request fosite.AccessRequester,
	response fosite.AccessResponder) error {
	own, p := request.GetSession().(*session), h.provider
	access, _, err := h.strategy.GenerateAccessToken(ctx, request)
	if err != nil {
		return err
	}
	refresh, _, err := h.strategy.GenerateRefreshToken(ctx, request)
	if err != nil {
		return err
	}
	act := p.act(ctx, storage.Actor{Kind: storage.ActorClient, ID: own.code.ClientID})
	if err := p.store.RedeemCode(ctx, act, own.code.Hash, p.firstGrant(act, own)); err != nil {
		return err
	}
	response.SetAccessToken(access)
	response.SetTokenType("bearer")
	response.SetExtra("refresh_token", refresh)
	return nil
}
