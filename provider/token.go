package provider

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/provider/scope"
)

// Paths of the endpoints below the base URL (S1 section 4).
const (
	authorizePath  = "/authentication/v2/authorize"
	resumePath     = "/authentication/v2/authorize/resume"
	tokenPath      = "/authentication/v2/token"
	revokePath     = "/authentication/v2/revoke"
	introspectPath = "/authentication/v2/introspect"
	keysPath       = "/authentication/v2/keys"
	logoutPath     = "/authentication/v2/logout"
	userInfoPath   = "/userinfo"
	loginPath      = "/login"
	consentPath    = "/consent"
)

// Token serves POST /authentication/v2/token (S1 4.1).
func (p *Provider) Token() http.Handler { return httpio.Handle(p.writeTokenError, p.token) }

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
	body, err := p.exchange(r, c, form)
	if err != nil {
		p.tellRefusal(r.Context(), c, asked, err)
		return err
	}
	writeToken(w, body)
	return nil
}

// exchange performs the grant of the form for a client that is proven.
func (p *Provider) exchange(r *http.Request, c *client, form url.Values) (tokenBody, error) {
	if err := p.checkGrant(c, form); err != nil {
		return tokenBody{}, err
	}
	asked := form.Get("scope")
	if err := p.settleScope(c, form); err != nil {
		return tokenBody{}, err
	}
	body, err := p.grantTokens(r, c, form)
	body.mentionScope(asked, c.profile.AlwaysTellsScope())
	return body, err
}

// secretParameters may never stand in a URL, where logs and histories keep
// them (RFC 9700 section 4.3.2).
var secretParameters = []string{"client_secret", "code", "code_verifier", "refresh_token", "assertion", "token", "access_token", "password"}

// readTokenForm reads the body of the endpoints that take client credentials.
func readTokenForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	query := r.URL.Query()
	for _, name := range secretParameters {
		if query.Has(name) {
			return nil, fault.Newf(fault.Invalid, "invalid_request", "The parameter %s must be in the body, never in the URL.", name)
		}
	}
	return httpio.ReadForm(w, r)
}

// requiredParameters lists what each grant can't do without (S1 4.1).
var requiredParameters = map[string][]string{
	"client_credentials": nil,
	"authorization_code": {"code", "redirect_uri"},
	"refresh_token":      {"refresh_token"},
	grantJWTBearer:       {"assertion"},
}

// checkGrant refuses a grant that does not exist, that the client may not use,
// or that lacks a parameter.
func (p *Provider) checkGrant(c *client, form url.Values) error {
	grant := form.Get("grant_type")
	if grant == "" {
		return fault.New(fault.Invalid, "invalid_request", "The parameter grant_type is missing.")
	}
	required, known := requiredParameters[grant]
	if !known || grant == grantJWTBearer && p.verifier == nil {
		return fault.New(fault.Invalid, c.profile.UnknownGrantReason(), "The grant_type is not one of this server.")
	}
	if grant == grantJWTBearer && c.Public() {
		return errClientAuth.Because(errText("a public client presented an assertion")) // T9
	}
	if !c.grants.Has(grant) {
		return fault.New(fault.Invalid, "unauthorized_client", "The client is not allowed to use this grant_type.")
	}
	for _, name := range required {
		if form.Get(name) == "" {
			return fault.Newf(fault.Invalid, "invalid_request", "The parameter %s is missing.", name)
		}
	}
	return nil
}

// settleScope replaces the form's scope by what the grant is to be judged by.
// The scope of a refresh is judged against the grant, an assertion's against
// the assertion, and a code's was settled at authorize.
func (p *Provider) settleScope(c *client, form url.Values) error {
	asked, err := scope.Parse(form.Get("scope"))
	if err != nil {
		return err
	}
	if form.Get("grant_type") != "client_credentials" {
		return nil
	}
	granted, err := applicationScopes(c, asked)
	if err != nil {
		return err
	}
	form.Set("scope", scope.Format(granted))
	return nil
}

// applicationScopes returns what a two-legged token may do: what was asked for,
// or everything the client is registered for that makes sense without a user
// (decision T6).
func applicationScopes(c *client, asked []string) ([]string, error) {
	if len(asked) == 0 {
		return slices.DeleteFunc(slices.Clone(c.Scopes), scope.NeedsUser), nil
	}
	if i := slices.IndexFunc(asked, scope.NeedsUser); i >= 0 {
		return nil, fault.Newf(fault.Invalid, "invalid_scope", "The scope %s needs a user; use the authorization code flow for it.", asked[i])
	}
	return c.profile.FilterScopes(asked, c.Scopes)
}

// grantTokens lets the framework perform the grant.
func (p *Provider) grantTokens(r *http.Request, c *client, form url.Values) (tokenBody, error) {
	ctx := withProvenClient(r.Context(), c)
	inner := r.WithContext(ctx)
	inner.PostForm, inner.Form = form, form
	own := newSession()
	request, err := p.framework.NewAccessRequest(ctx, inner, own)
	if err != nil {
		return tokenBody{}, asFault(err)
	}
	if request.GetGrantTypes().ExactOne("client_credentials") {
		for _, one := range request.GetRequestedScopes() {
			request.GrantScope(one)
		}
	}
	response, err := p.framework.NewAccessResponse(ctx, request)
	if err != nil {
		return tokenBody{}, asFault(err)
	}
	httpio.From(ctx).UserID = own.userID()
	return p.tokenBody(request, response, own), nil
}

func (p *Provider) tokenBody(request fosite.AccessRequester, response fosite.AccessResponder, own *session) tokenBody {
	refresh, _ := response.GetExtra("refresh_token").(string)
	lifetime := p.lifetimes.AccessToken
	body := tokenBody{
		AccessToken:  response.GetAccessToken(),
		TokenType:    "Bearer",
		ExpiresIn:    int64(lifetime.Seconds()),
		RefreshToken: refresh,
		ExpiresAt:    own.issuedAt.Add(lifetime).Unix(),
		IDToken:      own.idToken,
		granted:      scope.Format(request.GetGrantedScopes()),
		known:        scope.Format(own.expected()),
	}
	if own.assertion != nil {
		body.ExpiresAt = 0 // S1 2.5 has none
	}
	return body
}
