package provider

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/storage"
)

// TryOut exchanges what the form holds for tokens as the client would, asks user
// info with them, and ends them. Its caller answers for the client: the portal
// lets those who manage an app see its flow without giving a secret away. What
// the token endpoint and user info would have answered comes back; person is
// nil when the tokens speak for nobody. Refusals have OAuth's code as reason.
func (p *Provider) TryOut(r *http.Request, clientID string,
	form url.Values) (tokens, person map[string]any, err error) {
	c, err := p.clients.find(r.Context(), clientID)
	if err != nil {
		return nil, nil, err
	}
	if err := p.calls.client(r.Context(), http.Header{}, ratelimit.Token, c); err != nil {
		return nil, nil, err
	}
	post := r.Clone(r.Context())
	post.Method = http.MethodPost                           // as the token endpoint is called
	body, err := p.exchange(post, c, form, signing.Bound{}) // to nothing: they end here
	if err != nil {
		answer := toOAuth(err)
		return nil, nil, fault.New(fault.From(err).Kind, answer.Code, answer.Description).Because(err)
	}
	caller, err := p.bearer.Check(r.Context(), body.AccessToken)
	if err != nil {
		return nil, nil, err
	}
	person, err = p.tryUserInfo(r.Context(), caller)
	if err := errors.Join(err, p.endTokens(r.Context(), caller)); err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, nil, err
	}
	return tokens, person, json.Unmarshal(text, &tokens)
}

// TryAsk returns what a browser takes to authorize for the request: the request as it
// is, or what came of pushing it in the name of a client that has to.
func (p *Provider) TryAsk(r *http.Request, clientID string, request url.Values) (url.Values, error) {
	c, err := p.clients.find(r.Context(), clientID)
	if err != nil || !c.mustPush() {
		return request, err
	}
	uri, err := arrivals{p}.keep(r.Context(), request)
	return url.Values{"client_id": {clientID}, "request_uri": {uri}}, err
}

func (p *Provider) tryUserInfo(ctx context.Context, caller bearer.Caller) (map[string]any, error) {
	if caller.TwoLegged() {
		return nil, nil
	}
	c, err := p.userInfoClient(ctx, caller)
	if fault.Is(err, fault.Forbidden) {
		return map[string]any{"error": fault.From(err).Reason, "error_description": fault.From(err).Detail}, nil
	}
	if err != nil {
		return nil, err
	}
	return p.userInfoClaims(ctx, caller, c)
}

// endTokens ends all that came of an exchange.
func (p *Provider) endTokens(ctx context.Context, caller bearer.Caller) error {
	act := p.act(ctx, storage.Actor{Kind: storage.ActorClient, ID: caller.ClientID})
	if caller.GrantID != "" {
		return p.store.RevokeGrant(ctx, act, caller.GrantID)
	}
	return p.store.RevokeToken(ctx, act, caller.JTI, caller.ExpiresAt)
}
