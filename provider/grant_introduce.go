package provider

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// What is exchanged for an assertion by which another server takes a person in, and the
// type of that.
const (
	typeIntroduction = "urn:ietf:params:oauth:token-type:id-jag"
	typeID           = "urn:ietf:params:oauth:token-type:id_token"
	typeRefresh      = "urn:ietf:params:oauth:token-type:refresh_token"
)

// introductionLife is how long the other server may take an assertion.
const introductionLife = 5 * time.Minute

// introduction is what this server says of a person to another one.
type introduction struct {
	to        clientprofile.Introduction
	grant     storage.Grant // by which the person signed in to the client
	until     time.Time     // the end of what the client shows for it
	resources []string
	scopes    []string
}

// introduces reports whether a request is for an assertion: what it names then are
// things of another server.
func introduces(form url.Values) bool {
	return form.Get("grant_type") == exchangeGrant.name && form.Get("requested_token_type") == typeIntroduction
}

// introduce judges who may be introduced where, and as what.
func (h *exchangeHandler) introduce(ctx context.Context, request fosite.AccessRequester) error {
	c, own, form := request.GetClient().(*client), request.GetSession().(*session), request.GetRequestForm()
	told, err := introductionOf(c, form, request.GetRequestedScopes())
	if err != nil {
		return err
	}
	if told.grant, told.until, err = h.shown(ctx, c, form); err != nil {
		return err
	}
	if err := (&grantStore{h.provider}).continues(ctx, told.grant, c, own.bound); err != nil {
		return err
	}
	for _, one := range told.scopes {
		request.GrantScope(one)
	}
	own.introduced = &told
	own.told = map[string]any{"audience": told.to.Issuer, "resources": told.resources, "scopes": told.scopes}
	return nil
}

// introductionOf is what the request asks for, within what the client may.
func introductionOf(c *client, form url.Values, asked []string) (introduction, error) {
	if form.Has("actor_token") || form.Has("actor_token_type") {
		return introduction{}, errActor
	}
	to, may := clientprofile.IntroductionTo(c.Client, form.Get("audience"))
	if !may || len(form["audience"]) != 1 {
		return introduction{}, fault.New(fault.Invalid, resources.ReasonTarget,
			"The audience must be the issuer of one server to which the client may introduce people.")
	}
	if len(form["resource"]) > resources.MaxAsked {
		return introduction{}, fault.Newf(fault.Invalid, resources.ReasonTarget,
			"A request can name at most %d resources.", resources.MaxAsked)
	}
	for _, name := range form["resource"] {
		if _, err := resources.Key(name); err != nil {
			return introduction{}, err
		}
	}
	switch {
	case len(to.Scopes) == 0:
	case len(asked) == 0:
		asked = to.Scopes
	case !scope.Within(asked, to.Scopes):
		return introduction{}, fault.New(fault.Invalid, scope.Reason,
			"The scope goes beyond what the client may ask for there.")
	}
	return introduction{to: to, resources: form["resource"], scopes: asked}, nil
}

// errShown is deliberately one answer for all that can be wrong.
var errShown = fault.New(fault.Invalid, "invalid_request",
	"The subject_token is no live ID token or refresh token of a sign-in to this client.")

// shown returns the grant behind the token that the client shows for a person, while
// nothing has ended by which it stands, and when the token is over.
func (h *exchangeHandler) shown(ctx context.Context, c *client, form url.Values) (storage.Grant, time.Time, error) {
	var grant storage.Grant
	var until time.Time
	var err error
	switch form.Get("subject_token_type") {
	case typeID:
		grant, until, err = h.grantOfIDToken(ctx, c, form.Get("subject_token"))
	case typeRefresh:
		grant, until, err = h.grantOfRefreshToken(ctx, c, form.Get("subject_token"))
	default:
		return grant, until, fault.New(fault.Invalid, "invalid_request",
			"The subject_token_type must be "+typeID+" or "+typeRefresh+".")
	}
	if err != nil {
		return grant, until, err
	}
	now := h.provider.ambient.Now()
	state, err := h.provider.store.TokenState(ctx, storage.TokenQuery{IssuedAt: now, ClientID: c.ID, GrantID: grant.ID,
		UserID: grant.UserID})
	if err == nil && (!state.Active || !now.Before(until)) {
		err = errShown
	}
	return grant, until, err
}

// grantOfIDToken finds by which grant the person signed in of whom an ID token for the
// client tells, as long as their session lasts.
func (h *exchangeHandler) grantOfIDToken(ctx context.Context, c *client,
	token string) (storage.Grant, time.Time, error) {
	p, none := h.provider, storage.Grant{}
	told, err := p.keys.VerifyIDHint(ctx, token)
	until := time.Unix(told.ExpiresAt, 0)
	if err != nil || !slices.Equal(told.Audience, []string{c.ID}) {
		return none, until, errShown.Because(err)
	}
	now := p.ambient.Now()
	sessions, err := p.store.ListSessions(ctx, told.Subject, now, time.Unix(0, 0))
	if err != nil {
		return none, until, err
	}
	lasts := func(s storage.LoginSession) bool { return s.ID == told.SessionID }
	if told.SessionID != "" && !slices.ContainsFunc(sessions, lasts) {
		return none, until, errShown
	}
	grants, err := p.store.ListGrants(ctx, told.Subject, now)
	if err != nil {
		return none, until, err
	}
	for _, one := range grants {
		if one.ClientID == c.ID && one.SessionID == told.SessionID && one.AuthTime.Unix() == told.AuthTime {
			return one, until, nil
		}
	}
	return none, until, errShown
}

// grantOfRefreshToken returns what a refresh token of the client continues. It is not
// spent, and nobody who kept an older one gets anything for that.
func (h *exchangeHandler) grantOfRefreshToken(ctx context.Context, c *client,
	token string) (storage.Grant, time.Time, error) {
	id, generation, ok := h.provider.refresh.parse(token)
	if !ok {
		return storage.Grant{}, time.Time{}, errShown
	}
	grant, err := h.provider.store.FindGrant(ctx, id)
	if fault.Is(err, fault.NotFound) || err == nil && (grant.ClientID != c.ID || grant.Generation != generation) {
		err = errShown
	}
	return grant, grant.ExpiresAt, err
}

// signIntroduction signs what the other server is told.
func (s *strategy) signIntroduction(ctx context.Context, c *client, own *session) (string, error) {
	p, told := s.provider, own.introduced
	user, err := p.userFor(ctx, told.grant.UserID)
	if err != nil {
		return "", err
	}
	claims := map[string]any{}
	if slices.Contains(narrow(told.grant.Scopes, c, nil), scope.Email) {
		claims = personClaims(user, []string{scope.Email})
	}
	maps.Copy(claims, map[string]any{
		"iss": p.issuer, "sub": user.ID, "aud": told.to.Issuer, "client_id": told.to.ClientID, "jti": p.ambient.Token(),
		"iat": own.issuedAt.Unix(), "exp": p.accessEnd(own).Unix(),
		"auth_time": told.grant.AuthTime.Unix(), "acr": told.grant.ACR,
	})
	if len(told.grant.AMR) > 0 { // an upstream may not have said with what
		claims["amr"] = told.grant.AMR
	}
	if len(told.resources) > 0 {
		claims["resource"] = jwt.Strings(told.resources)
	}
	if len(told.scopes) > 0 {
		claims["scope"] = scope.Format(told.scopes)
	}
	if own.bound != (signing.Bound{}) {
		claims["cnf"] = own.bound
	}
	return p.keys.SignIntroduction(ctx, c.IDTokenAlg, claims)
}
