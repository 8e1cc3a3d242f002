package provider

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/storage"
)

// vouchedHandler gives a client a token for a person whom an upstream vouches for to it
// (draft-ietf-oauth-identity-assertion-authz-grant), where an administrator has said
// that the upstream may. There is no refresh token: the upstream is asked again.
type vouchedHandler struct{ *assertionHandler }

// vouches reports whether an assertion says that it is an upstream's, and no service
// account's. That is judged by whoever gets it.
func vouches(assertion string) bool {
	head, _, _ := strings.Cut(assertion, ".")
	text, err := sealing.Decode(head)
	var header struct{ Typ string }
	return err == nil && json.Unmarshal(text, &header) == nil &&
		strings.TrimPrefix(strings.ToLower(header.Typ), "application/") == jwt.TypeVouching
}

func (h *vouchedHandler) HandleTokenEndpointRequest(ctx context.Context, request fosite.AccessRequester) error {
	c, own := request.GetClient().(*client), request.GetSession().(*session)
	if !c.profile.TakesResources() {
		return errVoucher("The client's profile has no such assertions.")
	}
	voucher, err := h.provider.elsewhere.Vouched(ctx, c.ID, request.GetRequestForm().Get("assertion"))
	if err != nil {
		return err
	}
	if voucher.ProofKey != "" && voucher.ProofKey != own.bound.Key {
		return errVoucher("The assertion is bound to a key that the request does not prove.")
	}
	if own.target, err = h.vouchedTarget(ctx, c, own.target, voucher.Resources); err != nil {
		return err
	}
	asked, had := request.GetRequestedScopes(), voucher.Scopes
	switch {
	case len(had) > 0:
	case len(asked) > 0:
		had = asked
	default:
		had = own.target.Default(c.DefaultScopes)
	}
	scopes, err := exchangedScopes(c, own.target, had, asked)
	if err != nil {
		return err
	}
	if err := h.letsIn(ctx, voucher); err != nil {
		return err
	}
	for _, one := range scopes {
		request.GrantScope(one)
	}
	own.vouched = voucher.JudgedBy
	own.speakFor(storage.Grant{
		ID: h.provider.ambient.UID(), ClientID: c.ID, UserID: voucher.UserID, UpstreamID: voucher.UpstreamID,
		Scopes: scopes, Resources: own.target.Identifiers(), ACR: voucher.ACR, AMR: voucher.AMR, AuthTime: voucher.AuthTime,
		ProofKey: own.bound.Key, Certificate: own.bound.Certificate,
	})
	return nil
}

// letsIn holds the person to what anybody is held to who arrives by the upstream.
func (h *vouchedHandler) letsIn(ctx context.Context, voucher storage.Voucher) error {
	user, err := h.provider.store.FindUser(ctx, voucher.UserID)
	if err != nil {
		return err
	}
	s := websession.SignIn{User: user, Proof: storage.Proof{
		Upstream: storage.UpstreamIdentity{UpstreamID: voucher.UpstreamID}}}
	if err = h.provider.second().mayHere(ctx, s); fault.Is(err, fault.Forbidden) {
		return errVoucher("The person signs in at another organisation alone.")
	}
	if err == nil && user.TwoFactor && voucher.ACR != storage.ACRTwoFactors { // though nobody demands it
		err = errVoucher(weakPerson)
	}
	return err
}

// vouchedTarget is what the request asks for within what the assertion is about, or all
// of that.
func (h *vouchedHandler) vouchedTarget(ctx context.Context, c *client, asked resources.Target,
	about []string) (resources.Target, error) {
	of, err := h.provider.resources.Resolve(ctx, c.ID, about)
	if err != nil || len(asked) == 0 {
		return of, err
	}
	for _, one := range asked.Identifiers() {
		if len(about) > 0 && !slices.Contains(of.Identifiers(), one) {
			return nil, fault.New(fault.Invalid, resources.ReasonTarget, "The assertion is not about this resource.")
		}
	}
	return asked, nil
}

func errVoucher(text string) error { return fault.New(fault.Invalid, "invalid_grant", text) }

// openGrant keeps the grant that the token speaks for: whatever ends grants ends it.
func (h *assertionHandler) openGrant(ctx context.Context, own *session) error {
	p := h.provider
	act := p.act(ctx, storage.Actor{Kind: storage.ActorClient, ID: own.grant.ClientID})
	grant := *own.grant
	grant.CreatedAt, grant.ExpiresAt = act.At, p.accessEnd(own)
	grant.EndsAt = grant.ExpiresAt
	return p.store.OpenGrant(ctx, act, grant, own.vouched)
}
