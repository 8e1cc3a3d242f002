package provider

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// token is the token endpoint: strict form, proven client, one grant, own body.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) error {
	form, err := readTokenForm(w, r)
	if err != nil {
		return err
	}
	c, err := p.authenticateClient(w, r, form, ratelimit.Token)
	if err != nil {
		return err
	}
	asked := url.Values{"scope": form["scope"]}
	bound, err := p.possession.boundTo(r, c)
	if err != nil {
		p.tellRefusal(r.Context(), c, asked, err)
		return err
	}
	body, err := p.exchange(r, c, form, bound)
	if err != nil {
		p.tellRefusal(r.Context(), c, asked, err)
		return err
	}
	writeToken(w, body)
	return nil
}

// exchange performs the grant of the form for a client that is proven; the token is
// bound so.
func (p *Provider) exchange(r *http.Request, c *client, form url.Values, bound signing.Bound) (tokenBody, error) {
	grant, err := p.grantTypeOf(c, form)
	if err != nil {
		return tokenBody{}, err
	}
	asked, own := form.Get("scope"), newSession()
	own.bound, own.nowhere = bound, form.Get("redirect_uri") == ""
	if c.profile.TakesResources() {
		own.asked = namedResources(grant, form)
	}
	if grant.alone {
		if own.target, err = p.resources.Resolve(r.Context(), c.ID, own.asked); err != nil {
			return tokenBody{}, err
		}
	}
	if err := grant.settleScope(c, own.target, form); err != nil {
		return tokenBody{}, err
	}
	body, err := p.grantTokens(r, c, grant, form, own)
	body.mentionScope(asked, c.profile.AlwaysTellsScope())
	return body, err
}

// namedResources are the resources of this server that a request names.
func namedResources(grant grantType, form url.Values) []string {
	switch {
	case introduces(form):
		return nil
	case grant.name == exchangeGrant.name:
		return slices.Concat(form["resource"], form["audience"]) // names of the same things (RFC 8693, 2.1)
	}
	return form["resource"]
}

// secretParameters may never stand in a URL, where logs and histories keep
// them (RFC 9700 section 4.3.2).
var secretParameters = []string{"client_secret", "code", "code_verifier", "refresh_token", "assertion",
	"client_assertion", "device_code", "token", "access_token", "password", "subject_token", "actor_token"}

// readTokenForm reads the body of the endpoints that take client credentials. What has no
// value was not sent (RFC 6749 section 3.2). Divergence: an empty resource stays, to be refused:
// who sent one did not mean a token for everything.
func readTokenForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	query := r.URL.Query()
	for _, name := range secretParameters {
		if query.Has(name) {
			return nil, fault.Newf(fault.Invalid, "invalid_request", "The parameter %s must be in the body, never in the URL.",
				name)
		}
	}
	form, err := httpio.ReadForm(w, r)
	return withoutEmpty(form, "resource", "audience"), err
}

// grantTypeOf returns the grant that the form asks for, if the client may use it.
func (p *Provider) grantTypeOf(c *client, form url.Values) (grantType, error) {
	name := form.Get("grant_type")
	if name == "" {
		return grantType{}, fault.New(fault.Invalid, "invalid_request", "The parameter grant_type is missing.")
	}
	for _, grant := range grantTypes {
		if grant.name == name && grant.handlers != nil && grant.offeredBy(p) {
			return grant, grant.check(c, form)
		}
	}
	return grantType{}, fault.New(fault.Invalid, c.profile.UnknownGrantReason(),
		"The grant_type is not one of this server.")
}

// grantTokens lets the framework perform the grant.
func (p *Provider) grantTokens(r *http.Request, c *client, grant grantType, form url.Values,
	own *session) (tokenBody, error) {
	ctx := withProvenClient(r.Context(), c)
	inner := r.WithContext(ctx)
	inner.PostForm, inner.Form = form, form
	request, err := p.framework.NewAccessRequest(ctx, inner, own)
	if err != nil {
		return tokenBody{}, asFault(err)
	}
	if grant.scopes != nil { // it has settled them
		for _, one := range request.GetRequestedScopes() {
			request.GrantScope(one)
		}
	}
	if err := cmp.Or(own.proven(p.ambient.Now()), held(ctx, p, c, own)); err != nil {
		return tokenBody{}, err
	}
	if own.demands, err = p.resources.Demanding(ctx, own.target); err != nil {
		return tokenBody{}, err
	}
	response, err := p.framework.NewAccessResponse(ctx, request)
	if err != nil {
		return tokenBody{}, asFault(err)
	}
	exchange := httpio.From(ctx)
	exchange.UserID, exchange.NoPerson = own.userID(), own.noPerson()
	exchange.Issued = httpio.Tokens{GrantType: grant.name, AppType: string(c.Type)}
	return p.tokenBody(request, response, own), nil
}

// held refuses tokens for a person who was proven by less than anybody who arrives is
// held to by now: the client, or the server of them, may demand a second factor since.
func held(ctx context.Context, p *Provider, c *client, own *session) error {
	acr, _, person := own.signIn()
	if !person || acr == storage.ACRTwoFactors {
		return nil
	}
	strong, err := demandsFactor(ctx, p, c, own)
	if err != nil || !strong && !p.sessions.Demands(storage.User{Admin: true}) {
		return err // of whom nothing is demanded where administrators have to show no more
	}
	user, err := p.userFor(ctx, own.userID())
	if err == nil && (strong || p.sessions.Demands(user)) {
		err = own.weakly(weakPerson)
	}
	return err
}

// demandsFactor reports whether the client demands a second factor, or one that the person
// signed in to whose token it was sent.
func demandsFactor(ctx context.Context, p *Provider, c *client, own *session) (bool, error) {
	for _, id := range own.exchanged.through() {
		one, err := p.clients.find(ctx, id)
		if fault.Is(err, fault.NotFound) {
			err = errSubject
		}
		if err != nil || one.SecondFactor {
			return err == nil, err
		}
	}
	return c.SecondFactor, nil
}

func (p *Provider) tokenBody(request fosite.AccessRequester, response fosite.AccessResponder, own *session) tokenBody {
	refresh, _ := response.GetExtra("refresh_token").(string)
	end := p.accessEnd(own).Unix()
	body := tokenBody{
		AccessToken:  response.GetAccessToken(),
		TokenType:    own.bound.TokenType(),
		ExpiresIn:    end - own.issuedAt.Unix(),
		RefreshToken: refresh,
		ExpiresAt:    end,
		IDToken:      own.idToken,
		granted:      scope.Format(own.target.Held(request.GetGrantedScopes())),
		known:        scope.Format(own.expected()),
	}
	if own.use.Keeps {
		body.RefreshToken = "" // the client has it
	}
	if own.assertion != nil {
		body.ExpiresAt = 0 // S1 2.5 has none
	}
	if own.exchanged != nil {
		body.IssuedType = typeAccess
	}
	if own.introduced != nil { // it opens nothing here (RFC 8693, 2.2.1)
		body.IssuedType, body.TokenType, body.ExpiresAt = typeIntroduction, "N_A", 0
	}
	return body
}
