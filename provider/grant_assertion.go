package provider

import (
	"context"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// grantJWTBearer is the grant type of RFC 7523 section 2.1.
const grantJWTBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// AssertionVerifier judges the signed assertions of service accounts; the
// rules live with the service accounts.
type AssertionVerifier interface {
	// VerifyAssertion returns which account the assertion of the client speaks
	// for and what scopes it claims. A refusal is an Invalid fault with reason
	// invalid_grant. An assertion with a jti is accepted once.
	VerifyAssertion(ctx context.Context, act storage.Act, client storage.Client, assertion string) (Assertion, error)
}

// Assertion is a verified assertion.
type Assertion struct {
	AccountID string
	Scopes    []string // sorted as claimed
}

// assertionHandler is the framework's handler for the JWT bearer grant. The
// stock one lets any client present another's assertion and ignores its scope.
type assertionHandler struct {
	provider *Provider
	strategy *strategy
}

var _ fosite.TokenEndpointHandler = (*assertionHandler)(nil)

// CanHandleTokenEndpointRequest is true for the JWT bearer grant, once service
// accounts can exist.
func (h *assertionHandler) CanHandleTokenEndpointRequest(_ context.Context, request fosite.AccessRequester) bool {
	return h.provider.verifier != nil && request.GetGrantTypes().ExactOne(grantJWTBearer)
}

// CanSkipClientAuth is never true: the assertion proves the account, not the
// client.
func (h *assertionHandler) CanSkipClientAuth(context.Context, fosite.AccessRequester) bool {
	return false
}

// HandleTokenEndpointRequest judges the assertion and grants the part of its
// scope that was asked for (S1 4.1, decision T9).
func (h *assertionHandler) HandleTokenEndpointRequest(ctx context.Context, request fosite.AccessRequester) error {
	c := request.GetClient().(*client)
	act := h.provider.act(ctx, storage.Actor{Kind: storage.ActorClient, ID: c.ID})
	assertion, err := h.provider.verifier.VerifyAssertion(ctx, act, c.Client, request.GetRequestForm().Get("assertion"))
	if err != nil {
		return err
	}
	asked := request.GetRequestedScopes()
	if len(asked) == 0 {
		asked = assertion.Scopes
	}
	for _, one := range asked {
		if !scope.Registered(assertion.Scopes, one) || !scope.Registered(c.Scopes, one) {
			return fault.New(fault.Invalid, "invalid_scope", "The scope goes beyond the assertion's or the client's.")
		}
		request.GrantScope(one)
	}
	request.GetSession().(*session).account = assertion.AccountID
	return nil
}

// PopulateTokenEndpointResponse signs the access token; there is no refresh
// token: the account signs another assertion.
func (h *assertionHandler) PopulateTokenEndpointResponse(ctx context.Context, request fosite.AccessRequester, response fosite.AccessResponder) error {
	if !h.CanHandleTokenEndpointRequest(ctx, request) {
		return fosite.ErrUnknownRequest
	}
	token, _, err := h.strategy.GenerateAccessToken(ctx, request)
	if err != nil {
		return err
	}
	response.SetAccessToken(token)
	response.SetTokenType("bearer")
	return nil
}
