package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// target is where an authorize request's answer may go: a proven client and a
// redirect URI of its own.
type target struct {
	client      *client
	redirectURI string
	mode        string // query, fragment or form_post, or one of them and .jwt
	state       string
}

// proveTarget finds out where the answer may go. Its faults are told to the
// person on our own page, and never to the redirect URI (decision A5, RFC 9700
// section 4.11).
func (p *Provider) proveTarget(ctx context.Context, params url.Values) (target, error) {
	id := params.Get("client_id")
	if id == "" {
		return target{}, fault.New(fault.Invalid, "invalid_request",
			"The request does not say which app it is from: client_id is missing.")
	}
	c, err := p.clients.find(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return target{}, fault.New(fault.Invalid, "invalid_client",
			"The app is not registered here, or it is disabled.").Because(err)
	}
	if err != nil {
		return target{}, err
	}
	uri := params.Get("redirect_uri")
	if uri == "" {
		return target{}, fault.New(fault.Invalid, "invalid_request",
			"The request does not say where to return to: redirect_uri is missing.")
	}
	c, returns := p.returning(c, uri)
	if !returns {
		p.tellRedirect(ctx, c, uri)
		return target{}, fault.New(fault.Invalid, "invalid_redirect_uri",
			"The address to return to is not one the app has registered.")
	}
	answer := forRefusal(params)
	return target{client: c, redirectURI: uri, mode: answerMode(c.profile, answer), state: answer.Get("state")}, nil
}

// returning reports whether answers to the client may go to the address: one that
// it has registered or, for the length of a request, that of its try-out.
func (p *Provider) returning(c *client, uri string) (*client, bool) {
	if _, stands := p.tryOuts(c.ID, uri); stands {
		return c.returningTo(uri), true
	}
	return c, redirecturi.Match(c.RedirectURIs, uri, c.Type)
}

// answerMode is the response mode that a refusal goes out in: the one asked
// for if the response type has it, else the type's own.
func answerMode(profile clientprofile.Profile, params url.Values) string {
	asked := profile.Resolve(responseType(params), params.Get("response_mode"))
	modes := profile.RefusalModes(responseType(params))
	if slices.Contains(modes, asked) {
		return asked
	}
	return modes[0]
}

// responseType is the response_type parameter, whose words come in any order.
func responseType(params url.Values) string {
	types := strings.Fields(params.Get("response_type"))
	slices.Sort(types)
	return strings.Join(types, " ")
}

// authorizeRequest is an authorize request that has passed every check.
type authorizeRequest struct {
	target
	params       url.Values
	responseType string // code, id_token or "code id_token"
	resources    resources.Target
	scopes       []string
	asked        int // how many scopes the request named
	nonce        string
	challenge    string
	proofKey     string // that its code has to be redeemed with; empty: any or none
	prompts      []string
	maxAge       int64 // seconds; -1: none
	hint         *signing.IDHint
	strong       bool     // two factors are insisted on
	subjects     []string // of whom the claims parameter insists on one; empty: on nobody
	claims       string   // the claims parameter, what the client may not ask left out
	claimScopes  []string // the scopes that claims stands for
	loginHint    string
	display      displayOptions
}

// checkAuthorize judges everything but the target. Its faults go back to the
// client. The order matters only where two rules are broken at once.
func (p *Provider) checkAuthorize(ctx context.Context, t target, params url.Values) (*authorizeRequest, error) {
	a := &authorizeRequest{target: t, params: params, nonce: params.Get("nonce"), loginHint: params.Get("login_hint")}
	for _, check := range []func() error{
		func() error { return checkNotOffered(params) },
		func() error { return t.client.profile.CheckState(params.Get("state")) },
		a.checkResponse,
		func() error { return a.checkResources(ctx, p.resources) },
		a.checkScope,
		a.checkPKCE,
		a.checkProofKey,
		a.checkPrompt,
		func() error { return a.checkClaims(ctx, p.resources) },
		a.checkDisplay,
		func() error { return a.checkHint(ctx, p.keys) },
	} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// checkNotOffered refuses what discovery says we do not support, by the error
// codes of OpenID Connect Core 3.1.2.6. Ignoring it would lose what is inside.
func checkNotOffered(params url.Values) error {
	for _, name := range []string{"request", "request_uri", "registration"} {
		if params.Has(name) {
			return fault.Newf(fault.Invalid, name+"_not_supported", "The parameter %s is not supported.", name)
		}
	}
	return nil
}

func (a *authorizeRequest) checkResponse() error {
	a.responseType = responseType(a.params)
	if !slices.Contains([]string{"code", "id_token", "code id_token"}, a.responseType) {
		return fault.New(fault.Invalid, "unsupported_response_type",
			"The response_type must be code, id_token or code id_token.")
	}
	if !a.client.responses.Has(a.responseType) {
		return fault.New(fault.Invalid, "unauthorized_client", "The client may not use this response_type.")
	}
	mode, err := a.client.profile.ResponseMode(a.responseType, a.params.Get("response_mode"))
	if err != nil {
		return err
	}
	a.mode = mode
	if a.nonce == "" && a.client.profile.NonceRequired(a.responseType) {
		return fault.New(fault.Invalid, "invalid_request",
			"The nonce is missing; an ID token that travels through the browser needs one.")
	}
	return nil
}

// checkResources finds what the request wants tokens for (RFC 8707).
func (a *authorizeRequest) checkResources(ctx context.Context, known *resources.Registry) (err error) {
	if a.client.profile.TakesResources() {
		a.resources, err = known.Resolve(ctx, a.client.ID, a.params["resource"])
	}
	return err
}

func (a *authorizeRequest) checkScope() error {
	asked, err := scope.Parse(a.params.Get("scope"))
	if err != nil {
		return err
	}
	a.asked = len(asked)
	asked = a.resources.Completed(asked, a.client.DefaultScopes)
	a.scopes, err = a.client.profile.FilterScopes(asked, a.resources.MayAsk(a.client.Scopes))
	if err != nil {
		return err
	}
	if len(a.resources.Held(a.scopes)) == 0 {
		return fault.New(fault.Invalid, "invalid_scope", "The request names no scope that the client may ask for.")
	}
	if a.responseType != "code" && !slices.Contains(a.scopes, scope.OpenID) {
		return fault.New(fault.Invalid, "invalid_scope", "An ID token needs the scope openid.")
	}
	return nil
}

func (a *authorizeRequest) checkPKCE() error {
	if a.responseType == "id_token" {
		return nil // there is no code to bind
	}
	a.challenge = a.params.Get("code_challenge")
	if !a.params.Has("code_challenge") {
		if a.params.Has("code_challenge_method") {
			return fault.New(fault.Invalid, "invalid_request", "There is a code_challenge_method without a code_challenge.")
		}
		if clientprofile.PKCERequired(a.client.Client) {
			return fault.New(fault.Invalid, "invalid_request", "This client must send a code_challenge (PKCE).")
		}
		return nil
	}
	if err := a.client.profile.CheckChallengeMethod(a.params.Get("code_challenge_method")); err != nil {
		return err
	}
	if !challengeForm().MatchString(a.challenge) {
		return fault.New(fault.Invalid, "invalid_request",
			"The code_challenge must be the base64url of a SHA-256 hash, 43 characters.")
	}
	return nil
}

func (a *authorizeRequest) checkProofKey() (err error) {
	a.proofKey, err = proofKey(a.client, a.params)
	return err
}

func (a *authorizeRequest) checkPrompt() error {
	a.prompts = strings.Fields(a.params.Get("prompt"))
	for _, one := range a.prompts {
		if !slices.Contains([]string{"none", "login", "consent", "select_account"}, one) {
			return fault.New(fault.Invalid, "invalid_request", "The prompt must be of none, login, consent and select_account.")
		}
	}
	if a.prompt("none") && len(a.prompts) > 1 {
		return fault.New(fault.Invalid, "invalid_request", "The prompt none can't be combined with another.")
	}
	return a.checkMaxAge()
}

// checkMaxAge finds out how old the sign-in may be: as the request says, and at most as the
// resources that it names do.
func (a *authorizeRequest) checkMaxAge() error {
	a.maxAge = oldest(a.resources)
	if !a.params.Has("max_age") {
		return nil
	}
	seconds, err := strconv.ParseUint(a.params.Get("max_age"), 10, 31)
	if err != nil {
		return fault.New(fault.Invalid, "invalid_request", "The max_age must be a whole number of seconds.")
	}
	if a.maxAge < 0 || int64(seconds) < a.maxAge {
		a.maxAge = int64(seconds)
	}
	return nil
}

// oldest is how many seconds old a sign-in may be at most for the resources; -1: any number.
func oldest(t resources.Target) int64 {
	if age := t.MaxAge(); age > 0 {
		return int64(age.Seconds())
	}
	return -1
}

func (a *authorizeRequest) prompt(value string) bool { return slices.Contains(a.prompts, value) }

// checkClaims keeps of the claims parameter what the client's registration
// covers; the rest is left out like an unknown claim.
func (a *authorizeRequest) checkClaims(ctx context.Context, known *resources.Registry) error {
	wanted, err := parseClaims(a.params.Get("claims"))
	if err != nil {
		return err
	}
	subjects, acrs, err := wanted.bindings()
	if err == nil {
		err = a.checkStrength(ctx, known, acrs)
	}
	if err != nil {
		return err
	}
	a.subjects = subjects
	return a.claimOnly(a.client.Scopes)
}

// checkStrength finds out how strongly the person has to be proven: the client may demand
// two factors, a resource that the request names, or the request insist on one of some classes. A
// wish for them (acr_values) gets what there is, but where our own APIs, which no request names, demand
// them: whoever follows a challenge (RFC 9470) would otherwise come back to the same.
func (a *authorizeRequest) checkStrength(ctx context.Context, known *resources.Registry, insisted []string) error {
	a.strong = a.client.SecondFactor || a.resources.ACR() == storage.ACRTwoFactors
	switch {
	case len(insisted) == 0, slices.Contains(insisted, storage.ACRPassword):
	case slices.Contains(insisted, storage.ACRTwoFactors):
		a.strong = true
	default:
		return fault.New(fault.Invalid, "unmet_authentication_requirements",
			"People can't be proven here as strongly as the request insists on.")
	}
	wishes := slices.DeleteFunc(strings.Fields(a.params.Get("acr_values")), func(acr string) bool {
		return acr != storage.ACRPassword && acr != storage.ACRTwoFactors
	})
	if a.strong || len(wishes) == 0 || wishes[0] == storage.ACRPassword {
		return nil
	}
	acr, err := known.Strength(ctx, a.resources)
	a.strong = acr == storage.ACRTwoFactors
	return err
}

// displayOptions is what authoptions can ask of the pages (decision A6).
type displayOptions struct {
	Locale    string `json:"locale"`
	Theme     string `json:"theme"`
	LoginHint string `json:"login_hint"`
}

func (a *authorizeRequest) checkDisplay() error {
	raw := a.params.Get("authoptions")
	if raw == "" {
		a.display.Locale = strings.Join(strings.Fields(a.params.Get("ui_locales")), ",")
		return nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &object) != nil || object == nil || httpio.DecodeJSON([]byte(raw), &a.display) != nil {
		return fault.New(fault.Invalid, "invalid_request",
			"The authoptions must be a JSON object whose known members are texts.")
	}
	a.loginHint = cmp.Or(a.loginHint, a.display.LoginHint)
	return nil
}

// frame is around a page of the request's own: in the language and with the theme
// that the client asked for.
func (a *authorizeRequest) frame(r *http.Request) templates.Frame {
	httpio.From(r.Context()).Languages.Asked = a.display.Locale
	frame := webpage.Frame(r)
	frame.Theme = a.display.Theme
	return frame
}

func (a *authorizeRequest) checkHint(ctx context.Context, keys *signing.KeySet) error {
	raw := a.params.Get("id_token_hint")
	if raw == "" {
		return nil
	}
	hint, err := keys.VerifyIDHint(ctx, raw)
	if err != nil {
		return fault.New(fault.Invalid, "invalid_request",
			"The id_token_hint is not an ID token of this server.").Because(err)
	}
	a.hint = &hint
	return nil
}
