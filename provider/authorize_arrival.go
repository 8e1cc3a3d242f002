package provider

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// arrival is an authorize request as it came: by its parameters, or pushed before.
type arrival struct {
	params  url.Values
	parked  parked
	refusal error // to be told to the client once it is proven; nil: none
}

// arrive finds out what a client asks for that may have said it elsewhere. What is
// wrong with the client itself is left to whoever proves it.
func (p arrivals) arrive(ctx context.Context, answer http.Header, params url.Values) (arrival, error) {
	came := arrival{params: params}
	if err := p.admit(ctx, answer, params.Get("client_id")); err != nil {
		return came, err
	}
	c, err := p.clients.find(ctx, params.Get("client_id"))
	if err == nil {
		err = calledOtherwise(c, params.Get("client_id"))
	}
	switch {
	case fault.Is(err, fault.NotFound):
		return came, nil
	case err != nil:
		return came, err
	case c.profile.TakesPushed() && strings.HasPrefix(params.Get("request_uri"), pushedPrefix):
		return p.arrivePushed(ctx, c, params)
	case c.mustPush():
		came.refusal = fault.New(fault.Invalid, "invalid_request",
			"This client must push its requests (RFC 9126) and send their request_uri.")
	case params.Has("request") && c.takesSigned():
		return p.arriveSigned(ctx, answer, c, params)
	case c.mustSign():
		came.refusal = errUnsigned
	}
	return came, nil
}

// arriveSigned goes on with what is in a request object, and with nothing beside it.
// What is wrong with that is told where the parameters beside it lead to, if they do.
func (p arrivals) arriveSigned(ctx context.Context, answer http.Header, c *client, params url.Values) (arrival, error) {
	mayFetch := func() error { return p.calls.at(ctx, answer, ratelimit.Authorize, c.ID) }
	inner, err := p.openRequest(ctx, c, params.Get("request"), mayFetch)
	switch {
	case err == nil:
		return arrival{params: inner}, nil
	case fault.Is(err, fault.Invalid) && params.Has("redirect_uri"):
		return arrival{params: params, refusal: err}, nil
	}
	return arrival{}, err
}

// arrivePushed goes on with a pushed request. Whatever else came beside its
// request_uri counts for nothing (RFC 9126 section 4).
func (p arrivals) arrivePushed(ctx context.Context, c *client, params url.Values) (arrival, error) {
	request, err := p.findPushed(ctx, c, params.Get("request_uri"))
	if err != nil {
		return arrival{}, err
	}
	inner, err := url.ParseQuery(request.Params)
	return arrival{params: inner, parked: parked{LoginRequest: request, comes: true}}, err
}

// takesSigned reports whether the client may sign its requests: there are keys to
// check them with.
func (c *client) takesSigned() bool {
	return c.profile.TakesSigned() && (len(c.keys) > 0 || c.KeysURI != "")
}

// mustSign reports whether the client's requests count only when it signed them.
func (c *client) mustSign() bool { return c.RequireSigned || c.profile.SignedOnly() }

// mustPush reports whether the client's requests count only when it pushed them.
func (c *client) mustPush() bool { return c.RequirePushed || c.profile.PushedOnly() }

// refuse counts a call that came to nothing, and returns why it did or that
// there were too many. Only of a client that is registered something can be wrong.
func (p arrivals) refuse(ctx context.Context, answer http.Header, params url.Values, why error) error {
	return p.calls.failed(ctx, answer, ratelimit.Authorize, params.Get("client_id"), why)
}

// count counts a call that is not the way back from our own pages.
func (p arrivals) count(ctx context.Context, answer http.Header, t target, parked parked) error {
	switch {
	case parked.ID != "" && !parked.comes:
		return nil
	case t.client == nil:
		return p.calls.at(ctx, answer, ratelimit.Authorize, "")
	}
	return p.calls.at(ctx, answer, ratelimit.Authorize, t.client.ID)
}

// admit has whoever is described by a document be as that says. It is fetched here
// alone, where somebody is about to sign in, and as often as clients may register.
func (p arrivals) admit(ctx context.Context, answer http.Header, clientID string) error {
	if !clientprofile.Described(clientID) {
		return nil
	}
	return p.documents.Admit(ctx, p.act(ctx, storage.Actor{}), clientID, func() error {
		return p.calls.at(ctx, answer, ratelimit.Register, "")
	})
}

// calledOtherwise refuses a client that is described by a document and comes by another
// name than its address, under which nobody judges it.
func calledOtherwise(c *client, clientID string) error {
	if clientprofile.Described(c.Origin) && clientID != c.Origin {
		return errUnknown
	}
	return nil
}
