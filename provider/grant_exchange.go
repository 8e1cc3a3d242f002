package provider

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// exchangeGrant gives a service that was sent a token one with which it goes on to
// another, for the same person (RFC 8693).
var exchangeGrant = grantType{
	name:     "urn:ietf:params:oauth:grant-type:token-exchange",
	mayUse:   mayExchange,
	alone:    true,
	required: []string{"subject_token", "subject_token_type"},
	handlers: func(t tools) []tokenHandler {
		return []tokenHandler{&exchangeHandler{&assertionHandler{provider: t.provider, strategy: t.strategy}}}
	},
}

func mayExchange(c storage.Client) bool {
	return clientprofile.Of(c).TakesResources() && !c.Public() && len(c.ExchangeFor)+len(c.IntroducesTo) > 0
}

// typeAccess is what is exchanged, and for what.
const typeAccess = "urn:ietf:params:oauth:token-type:access_token"

// maxActors is how many may stand between a person and who acts for them in the end.
const maxActors = 4

// exchanged is the token that another is given for, and who acts by that.
type exchanged struct {
	subject  bearer.Caller
	audience []string // of the subject, that it is exchanged as
	actor    *signing.Actor
}

// exchangeHandler answers as assertionHandler does: there is no refresh token either.
type exchangeHandler struct{ *assertionHandler }

// errSubject is deliberately one answer for all that a token can lack.
var errSubject = fault.New(fault.Invalid, "invalid_request",
	"The subject_token is no live access token that was given or sent to this client.")

// HandleTokenEndpointRequest judges the token that came, and lets nothing of the new
// one go beyond it: neither scopes, nor time, nor what ends it.
func (h *exchangeHandler) HandleTokenEndpointRequest(ctx context.Context, request fosite.AccessRequester) error {
	if introduces(request.GetRequestForm()) {
		return h.introduce(ctx, request)
	}
	c, own := request.GetClient().(*client), request.GetSession().(*session)
	if err := checkExchange(request.GetRequestForm()); err != nil {
		return err
	}
	target, err := h.exchangeTarget(ctx, c, own.target)
	if err != nil {
		return err
	}
	subject, audience, err := h.subjectOf(ctx, c, request.GetRequestForm().Get("subject_token"))
	if err != nil {
		return err
	}
	if err := h.serves(ctx, c, subject); err != nil {
		return err
	}
	scopes, err := exchangedScopes(c, target, subject.Scopes, request.GetRequestedScopes())
	if err != nil {
		return err
	}
	for _, one := range scopes {
		request.GrantScope(one)
	}
	actor, err := h.actorFor(ctx, c, subject)
	if err != nil {
		return err
	}
	own.target, own.exchanged = target, &exchanged{subject, audience, actor}
	own.told = map[string]any{
		"resources": own.target.Identifiers(), "from": subject.ClientID, "impersonates": c.Impersonates,
	}
	return nil
}

// PopulateTokenEndpointResponse signs, and then writes into the trail who acts for whom.
func (h *exchangeHandler) PopulateTokenEndpointResponse(ctx context.Context, request fosite.AccessRequester,
	response fosite.AccessResponder) error {
	err := h.assertionHandler.PopulateTokenEndpointResponse(ctx, request, response)
	if err != nil {
		return err
	}
	return h.recordExchange(ctx, request.GetClient().(*client), request.GetSession().(*session))
}

// checkExchange refuses what is not offered: nothing of it may be passed over, for it
// would have narrowed what is given.
func checkExchange(form url.Values) error {
	switch {
	case form.Get("subject_token_type") != typeAccess:
		return fault.New(fault.Invalid, "invalid_request", "The subject_token_type must be "+typeAccess+".")
	case form.Has("actor_token") || form.Has("actor_token_type"):
		return errActor
	case form.Has("requested_token_type") && form.Get("requested_token_type") != typeAccess:
		return fault.New(fault.Invalid, "invalid_request", "The requested_token_type must be "+typeAccess+".")
	}
	return nil
}

var errActor = fault.New(fault.Invalid, "invalid_request",
	"There can be no actor_token: who acts is the client that asks.")

// exchangeTarget returns what the client asks for, or the one resource that it may have
// tokens for in this way.
func (h *exchangeHandler) exchangeTarget(ctx context.Context, c *client,
	asked resources.Target) (resources.Target, error) {
	if len(asked) == 0 && len(c.ExchangeFor) == 1 {
		return h.provider.resources.Resolve(ctx, c.ID, c.ExchangeFor)
	}
	if len(asked) == 0 {
		return nil, fault.New(fault.Invalid, resources.ReasonTarget, "Name the resource that the token is to be for.")
	}
	may, err := h.provider.resources.Standing(ctx, c.ID, c.ExchangeFor)
	if err != nil {
		return nil, err
	}
	for _, name := range asked.Identifiers() {
		if !slices.Contains(may.Identifiers(), name) {
			return nil, fault.New(fault.Invalid, resources.ReasonTarget,
				"The client may not exchange tokens for this resource.")
		}
	}
	return asked, nil
}

// subjectOf returns who a token speaks for that the client was given itself, or that
// was sent to resources of its own; with the scopes that it has there, and with what it
// is for of that.
func (h *exchangeHandler) subjectOf(ctx context.Context, c *client, token string) (bearer.Caller, []string, error) {
	subject, err := h.provider.bearer.CheckAny(ctx, token)
	audience := subject.Audience
	if err == nil && subject.ClientID != c.ID {
		audience, err = h.provider.resources.OfClient(ctx, c.ID, subject.Audience)
		switch {
		case err != nil:
		case len(audience) == 0 || subject.TwoLegged():
			return subject, nil, errSubject
		default:
			subject, audience, err = takenBy(ctx, h.provider, audience, token)
			err = askedAgain(err)
		}
	}
	for _, origin := range subject.Origins { // what it was exchanged for was sent to others
		if err == nil {
			err = h.provenFor(ctx, origin.Audience, subject)
		}
	}
	if fault.Is(err, fault.Unauthenticated) {
		err = errSubject.Because(err)
	}
	return subject, audience, err
}

// provenFor refuses who was proven more weakly, or longer ago, than one of the resources
// demands that a token was sent to: it takes nobody like that.
func (h *exchangeHandler) provenFor(ctx context.Context, resources []string, subject bearer.Caller) (err error) {
	for i := 0; i < len(resources) && err == nil; i++ {
		err = h.provider.bearer.For(resources[i]).Proven(ctx, subject)
	}
	return askedAgain(err)
}

// askedAgain has the client that asks have the person sign in, where that helps.
func askedAgain(err error) error {
	if fault.HasReason(err, bearer.ReasonWeakSignIn) {
		err = fault.New(fault.Invalid, bearer.ReasonWeakSignIn,
			"The person has to sign in again, or more strongly, for the resource that the token was sent to.")
	}
	return err
}

// serves refuses a client that may not act for the subject of the token: it is for
// others. A token that is no good here would be good where nobody asks.
func (h *exchangeHandler) serves(ctx context.Context, c *client, subject bearer.Caller) error {
	state, err := h.provider.store.TokenState(ctx, storage.TokenQuery{IssuedAt: h.provider.ambient.Now(),
		ClientID: c.ID, GrantID: subject.GrantID, UserID: subject.UserID, KeyID: subject.KeyID})
	if err == nil && !state.Active {
		err = errSubject
	}
	return err
}

// exchangedScopes returns what is asked for, or all that both the token and the resource
// have; never what administrates the server or is an app's by itself.
func exchangedScopes(c *client, target resources.Target, had, asked []string) ([]string, error) {
	may := target.MayAsk(c.Scopes)
	both := slices.DeleteFunc(target.Held(had), func(one string) bool {
		return !scope.Registered(may, one) || scope.Identity(one) || scope.NeedsAdministrator(one) ||
			scope.NeedsApplication(one)
	})
	switch {
	case len(both) == 0:
		return nil, fault.New(fault.Invalid, scope.Reason, "The token has no scope that the resource has.")
	case len(asked) == 0:
		return both, nil
	case !scope.Within(asked, both):
		return nil, fault.New(fault.Invalid, scope.Reason, "The scope goes beyond the token's or the resource's.")
	}
	return asked, nil
}

// actorFor returns who acts: the client, for whoever acted before it. Where an
// administrator lets it pass for the person it is not told, unless they are an
// administrator themselves.
func (h *exchangeHandler) actorFor(ctx context.Context, c *client, subject bearer.Caller) (*signing.Actor, error) {
	actor := &signing.Actor{Subject: c.ID, Actor: subject.Actor}
	if actor.Depth() > maxActors || len(subject.Origins) >= maxActors {
		return nil, fault.New(fault.Invalid, "invalid_request", "The token has gone through too many hands.")
	}
	if c.Impersonates && subject.UserID != "" && !subject.ServiceAccount() {
		user, err := h.provider.userFor(ctx, subject.UserID)
		if err == nil && user.Admin {
			err = fault.New(fault.Invalid, "invalid_request", "Nobody can pass for an administrator.")
		}
		return subject.Actor, err
	}
	return actor, nil
}

// recordExchange writes into the trail who acts for whom from now on, and where.
func (h *exchangeHandler) recordExchange(ctx context.Context, c *client, own *session) error {
	detail, err := json.Marshal(own.told)
	if err != nil {
		return err
	}
	return h.provider.store.RecordAudit(ctx, storage.AuditEvent{
		Act:  h.provider.act(ctx, storage.Actor{Kind: storage.ActorClient, ID: c.ID}),
		Kind: "token.exchanged", Subject: own.userID(), Detail: string(detail),
	})
}

// claim makes the claims those of whom the exchanged token speaks for. Whatever ends that
// one ends this.
func (e *exchanged) claim(claims *signing.AccessClaims) {
	s := e.subject
	if s.UserID != "" {
		claims.Subject, claims.UserID = s.UserID, s.UserID
	}
	claims.GrantID, claims.KeyID, claims.Actor, claims.ACR = s.GrantID, s.KeyID, e.actor, s.ACR
	if !s.AuthTime.IsZero() {
		claims.AuthTime = s.AuthTime.Unix()
	}
	origin := signing.Origin{JTI: s.JTI, ClientID: s.ClientID, IssuedAt: s.IssuedAt.Unix(), Audience: e.audience}
	claims.Origins = append([]signing.Origin{origin}, s.Origins...)
}

// through are the clients whose tokens the token was exchanged for, the last one first.
func (e *exchanged) through() []string {
	if e == nil {
		return nil
	}
	ids := []string{e.subject.ClientID}
	for _, origin := range e.subject.Origins {
		ids = append(ids, origin.ClientID)
	}
	return ids
}

// notAfter is the end of a token, which none that it is exchanged for outlives.
func (e *exchanged) notAfter(end time.Time) time.Time {
	if e == nil {
		return end
	}
	return notAfter(e.subject.ExpiresAt, end)
}
