package provider

import (
	"context"
	"net/url"
	"slices"

	"github.com/ory/fosite"
	"github.com/ory/fosite/handler/oauth2"
	"github.com/ory/fosite/handler/openid"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// grantType is everything about one grant_type. grant_types.go has them all.
type grantType struct {
	name   string
	mayUse func(storage.Client) bool // by how the client is registered

	offered    func(*Provider) bool // nil: always
	secretOnly bool                 // a client that can't prove itself and tries is taken for an impostor
	required   []string             // what a token request can't do without (S1 4.1)
	strictly   []string             // and what besides, but for clients that may leave it out

	// alone is a grant that rests on nothing which names resources already: the
	// request alone says what its tokens are for.
	alone bool

	// scopes returns what a client that asks so is given. Nil: that was settled
	// at authorize, or is judged by the handlers.
	scopes func(c *client, target resources.Target, asked []string) ([]string, error)

	// handlers perform the grant, one after the other. Nil: tokens come from
	// authorize alone.
	handlers func(tools) []tokenHandler
}

// tools are what handlers of grants are made of.
type tools struct {
	provider   *Provider
	config     *fosite.Config
	store      *grantStore
	strategy   *strategy
	idTokens   *openid.IDTokenHandleHelper
	code       *oauth2.AuthorizeExplicitGrantHandler
	codeOpenID *openid.OpenIDConnectExplicitHandler
}

// tokenHandler is the part of the framework's handlers that is a grant's own.
type tokenHandler interface {
	HandleTokenEndpointRequest(ctx context.Context, request fosite.AccessRequester) error
	PopulateTokenEndpointResponse(ctx context.Context, request fosite.AccessRequester,
		response fosite.AccessResponder) error
}

// only keeps a handler from being asked to answer grants that are not its own:
// the stock ones refuse with a stack trace, which costs more than answering.
type only struct {
	tokenHandler
	name string
}

var _ fosite.TokenEndpointHandler = only{}

// CanHandleTokenEndpointRequest is true for the handler's own grant.
func (o only) CanHandleTokenEndpointRequest(_ context.Context, request fosite.AccessRequester) bool {
	return request.GetGrantTypes().ExactOne(o.name)
}

// CanSkipClientAuth is never true.
func (o only) CanSkipClientAuth(context.Context, fosite.AccessRequester) bool { return false }

// PopulateTokenEndpointResponse answers the handler's own grant.
func (o only) PopulateTokenEndpointResponse(ctx context.Context, request fosite.AccessRequester,
	response fosite.AccessResponder) error {
	if !o.CanHandleTokenEndpointRequest(ctx, request) {
		return nil
	}
	return o.tokenHandler.PopulateTokenEndpointResponse(ctx, request, response)
}

func (g grantType) offeredBy(p *Provider) bool { return g.offered == nil || g.offered(p) }

// check refuses the grant to a client that may not use it, and a form that
// lacks a parameter.
func (g grantType) check(c *client, form url.Values) error {
	if g.secretOnly && c.Public() {
		return errClientAuth.Because(errText("a public client came with " + g.name))
	}
	if !c.grants.Has(g.name) {
		return fault.New(fault.Invalid, "unauthorized_client", "The client is not allowed to use this grant_type.")
	}
	for _, name := range slices.Concat(g.required, g.strictly) {
		if form.Get(name) == "" && !c.profile.MayLeaveOut(name) {
			return fault.Newf(fault.Invalid, "invalid_request", "The parameter %s is missing.", name)
		}
	}
	return nil
}

// settleScope replaces the form's scope by what the grant is to be judged by.
func (g grantType) settleScope(c *client, target resources.Target, form url.Values) error {
	asked, err := scope.Parse(form.Get("scope"))
	if err != nil || g.scopes == nil {
		return err
	}
	granted, err := g.scopes(c, target, asked)
	if err != nil {
		return err
	}
	form.Set("scope", scope.Format(granted))
	return nil
}
