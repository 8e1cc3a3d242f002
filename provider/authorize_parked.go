package provider

import (
	"context"
	"maps"
	"net/url"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// arrivals are the ways on which authorize requests come.
type arrivals struct{ *Provider }

// parked is the login request that an authorize request was parked as; its
// zero value means it never was.
type parked struct {
	storage.LoginRequest
	comes bool // by its request_uri, and not from our own pages
}

// over is what is told of a request that was answered meanwhile.
func (p parked) over() *fault.Error {
	if p.comes {
		return errPushed
	}
	return errRequestOver
}

var errRequestOver = fault.New(fault.Gone, storage.ReasonRequestOver,
	"This sign-in was finished already, or it took too long.")

// errPushed is deliberately one answer for what was never pushed, was pushed by
// another client, came too late or was used up.
var errPushed = fault.New(fault.Invalid, "invalid_request_uri",
	"The request was pushed by another app, has expired, or was answered already.")

// maxParked is how large a request may be that is to be kept, in bytes.
const maxParked = 8 << 10

// park keeps the request.
func (p arrivals) park(ctx context.Context, request *authorizeRequest) (storage.LoginRequest, error) {
	params, err := toKeep(request.params)
	if err != nil {
		return storage.LoginRequest{}, err
	}
	now := p.ambient.Now()
	kept := storage.LoginRequest{
		ID: p.ambient.Token(), ClientID: request.client.ID, Params: params,
		CreatedAt: now, ExpiresAt: now.Add(p.lifetimes.LoginRequest),
	}
	return kept, p.store.ParkLoginRequest(ctx, kept)
}

// toKeep is what is kept of a request.
func toKeep(params url.Values) (string, error) {
	text := known(params).Encode()
	if len(text) > maxParked {
		return "", fault.New(fault.Invalid, "invalid_request", "The request is too long.")
	}
	return text, nil
}

// known keeps the parameters that are read: strangers must not fill our tables
// with the others.
func known(params url.Values) url.Values {
	kept := url.Values{}
	for _, name := range []string{
		"client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "prompt", "max_age",
		"id_token_hint", "login_hint", "ui_locales", "claims", "authoptions", "code_challenge",
		"code_challenge_method", "dpop_jkt", "resource", "acr_values",
	} {
		if params.Has(name) {
			kept[name] = params[name]
		}
	}
	return kept
}

// withoutEmpty leaves out parameters without a value, which count as not sent
// (RFC 6749 section 3.1). An empty code_challenge stays, to be refused: who
// sent one meant to be protected by it.
func withoutEmpty(params url.Values, but ...string) url.Values {
	maps.DeleteFunc(params, func(name string, values []string) bool {
		return name != "code_challenge" && len(values) == 1 && values[0] == "" && !slices.Contains(but, name)
	})
	return params
}
