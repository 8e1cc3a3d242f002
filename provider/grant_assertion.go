package provider

import (
	"context"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// assertionGrant gives a service account a token for what its key signed (RFC
// 7523 section 2.1), once service accounts can exist. The assertion proves the
// account, not the client (decision T9).
var assertionGrant = grantType{
	name:       "urn:ietf:params:oauth:grant-type:jwt-bearer",
	mayUse:     func(c storage.Client) bool { return c.Type == storage.ClientService },
	offered:    func(p *Provider) bool { return p.verifier != nil },
	secretOnly: true,
	alone:      true,
	required:   []string{"assertion"},
	handlers: func(t tools) []tokenHandler {
		return []tokenHandler{&assertionHandler{provider: t.provider, strategy: t.strategy}}
	},
}

// assertionHandler is the framework's handler for the JWT bearer grant. The
// stock one lets any client present another's assertion and ignores its scope.
type assertionHandler struct {
	provider *Provider
	strategy *strategy
}

// HandleTokenEndpointRequest judges the assertion and grants the part of its
// scope that was asked for (S1 4.1, decision T9). The assertion is spent last,
// so that a request refused for another reason may be corrected and sent again.
func (h *assertionHandler) HandleTokenEndpointRequest(ctx context.Context, request fosite.AccessRequester) error {
	if vouches(request.GetRequestForm().Get("assertion")) {
		return (&vouchedHandler{h}).HandleTokenEndpointRequest(ctx, request)
	}
	c := request.GetClient().(*client)
	act := h.provider.act(ctx, storage.Actor{Kind: storage.ActorClient, ID: c.ID})
	assertion, err := h.provider.verifier.VerifyAssertion(ctx, act, c.Client, request.GetRequestForm().Get("assertion"))
	if err != nil {
		return err
	}
	scopes, err := assertedScopes(c, request.GetSession().(*session).target, assertion.Scopes,
		request.GetRequestedScopes())
	if err != nil {
		return err
	}
	if err := h.provider.verifier.AcceptAssertion(ctx, act, assertion); err != nil {
		return err
	}
	for _, one := range scopes {
		request.GrantScope(one)
	}
	request.GetSession().(*session).assertion = &assertion
	return nil
}

// assertedScopes returns what was asked for, or all that the assertion claims,
// if assertion, client and the nature of a service account allow it (decisions
// T9, SA11).
func assertedScopes(c *client, target resources.Target, claimed, asked []string) ([]string, error) {
	claimed, err := scope.Parse(scope.Format(claimed))
	if err != nil {
		return nil, err
	}
	if len(asked) == 0 {
		asked = claimed
	}
	may := target.MayAsk(c.Scopes)
	for _, one := range asked {
		if !scope.ForServiceAccount(one) {
			return nil, fault.Newf(fault.Invalid, scope.Reason, "A service account can't have the scope %s.", one)
		}
		if !scope.Within([]string{one}, claimed) || !scope.Registered(may, one) {
			return nil, fault.Newf(fault.Invalid, scope.Reason, "The scope %s goes beyond the assertion's or the client's.", one)
		}
	}
	return asked, nil
}

// PopulateTokenEndpointResponse signs the access token; there is no refresh
// token: the account signs another assertion.
func (h *assertionHandler) PopulateTokenEndpointResponse(ctx context.Context, request fosite.AccessRequester,
	response fosite.AccessResponder) error {
	token, _, err := h.strategy.GenerateAccessToken(ctx, request)
	if err != nil {
		return err
	}
	if own := request.GetSession().(*session); !own.vouched.IsZero() {
		if err := h.openGrant(ctx, own); err != nil {
			return err
		}
	}
	response.SetAccessToken(token)
	response.SetTokenType("bearer")
	return nil
}
