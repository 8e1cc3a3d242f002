package upstreams

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Pages are the visits to upstreams, and what comes of them.
type Pages struct {
	*Upstreams
	page PagesOptions
	gate *websession.Gate
}

// NewPages returns the pages.
func NewPages(o PagesOptions) *Pages {
	return &Pages{Upstreams: o.Upstreams, page: o, gate: o.Sessions.Gate(o.Web.Error)}
}

const (
	beginPath       = "/login/upstream/{upstreamId}"
	callbackPath    = beginPath + "/callback"
	logoutPath      = beginPath + "/backchannel-logout"
	signedOutPath   = beginPath + "/signed-out"
	confirmPath     = "/account/identities/confirm"
	identitiesPath  = "/account/identities"
	connectPath     = identitiesPath + "/connect/{upstreamId}"
	disconnectPath  = identitiesPath + "/disconnect/{upstreamId}"
	upstreamPathVar = "upstreamId"

	attemptLife = 10 * time.Minute
)

// Routes are the pages.
func (p *Pages) Routes() []httpio.Route {
	open := func(fn httpio.Handler) httpio.Endpoint { return httpio.Open(p.page.Web.Error, fn) }
	return append(p.adminRoutes(), []httpio.Route{
		httpio.At(beginPath).Get(open(p.begin)),
		httpio.At(callbackPath).Get(open(p.callback)).Post(open(p.formPost)),
		httpio.At(logoutPath).Post(httpio.Open(p.page.LogoutError, p.loggedOut)),
		httpio.At(signedOutPath).Get(open(p.signedOut)),
		httpio.At(claimPath).Get(open(p.askClaim)).Post(p.gate.Open(p.claim)),
		httpio.At(identitiesPath).Get(p.gate.Show(p.identities)),
		httpio.At(connectPath).Get(p.gate.ShowAgain(p.connect)),
		p.gate.Grave(httpio.At(disconnectPath), p.askDisconnect, p.disconnect),
		p.gate.Grave(httpio.At(confirmPath), p.askConfirm, p.confirm),
	}...)
}

// begin sends the browser of somebody who signs in to the upstream.
func (p *Pages) begin(w http.ResponseWriter, r *http.Request) error {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	attempt := storage.UpstreamAttempt{Request: query.Get("request"), Then: websession.Then(query.Get("then"))}
	if query.Get(websession.AgainVariable) == "1" { // the sign-in page leads on from there
		attempt.Then = websession.Then("/login?" + r.URL.RawQuery)
	}
	return p.leave(w, r, attempt, query.Get("login_hint"))
}

// leave keeps the attempt and sends the browser away.
func (p *Pages) leave(w http.ResponseWriter, r *http.Request, attempt storage.UpstreamAttempt, hint string) error {
	id, err := httpio.PathID(r, upstreamPathVar)
	if err != nil {
		return err
	}
	upstream, config, err := p.find(r.Context(), id)
	if err != nil {
		return err
	}
	now := p.with.Ambient.Now()
	meta, err := p.remote(upstream, config).known(r.Context())
	if err != nil {
		return err
	}
	within, told, err := p.wantsFresh(r.Context(), attempt)
	if err != nil {
		return err
	}
	if told && upstream.Kind != storage.UpstreamOIDC {
		return errNotAnew
	}
	fresh := within >= 0 && upstream.Kind == storage.UpstreamOIDC
	state := p.with.Ambient.Token()
	attempt.UpstreamID, attempt.StateHash, attempt.ExpiresAt = id, digest(state), now.Add(attemptLife)
	attempt.Browser = digest(p.browser(w, r))
	if err := p.with.Store.BeginAttempt(r.Context(), attempt); err != nil {
		return err
	}
	to, err := url.Parse(meta.Authorize)
	if err != nil {
		return errUnreachable.Because(err)
	}
	to.RawQuery = p.ask(upstream, config, to.Query(), state, hint, fresh).Encode()
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
	return nil
}

var errNotAnew = fault.New(fault.Forbidden, "upstream_not_anew",
	"This provider cannot have you prove anew who you are. Sign in another way.")

// ask is the authorize request.
func (p *Pages) ask(upstream storage.Upstream, config Config, query url.Values, state, hint string,
	fresh bool) url.Values {
	challenge := sha256.Sum256([]byte(p.secretOf("verifier", state)))
	for name, value := range map[string]string{
		"response_type": "code", "client_id": config.ClientID, "redirect_uri": p.RedirectURI(upstream.ID),
		"scope": strings.Join(config.Scopes, " "), "state": state,
		"code_challenge": base64.RawURLEncoding.EncodeToString(challenge[:]), "code_challenge_method": "S256",
	} {
		query.Set(name, value)
	}
	if upstream.Kind != storage.UpstreamGitHub {
		query.Set("nonce", p.secretOf("nonce", state))
	}
	if upstream.Kind == storage.UpstreamApple {
		query.Set("response_mode", "form_post") // it insists, with such scopes
	}
	if hint != "" && len(hint) <= 320 {
		query.Set("login_hint", hint)
	}
	if fresh {
		query.Set("prompt", anew(config.Issuer))
		query.Set("max_age", "0")
	}
	if config.TrustFactors && len(config.FactorACRs) > 0 {
		query.Set("acr_values", strings.Join(config.FactorACRs, " "))
	}
	return query
}

// anew is the prompt with which an upstream has somebody who is signed in there act once
// more. Google refuses what its manual does not name, and login is not in it.
func anew(issuer string) string {
	if issuer == google {
		return "select_account"
	}
	return "login"
}

// secretOf derives what of an attempt nobody but us may know from its state, so that
// it is kept nowhere.
func (p *Pages) secretOf(what, state string) string {
	return base64.RawURLEncoding.EncodeToString(p.with.Ring.MAC("upstream "+what, []byte(state)))
}

// RedirectURI is what a provider has to know of this server.
func (u *Upstreams) RedirectURI(id string) string {
	return u.with.BaseURL + "/login/upstream/" + id + "/callback"
}

// logoutURI is where a provider says who signed out.
func (u *Upstreams) logoutURI(id string) string {
	return u.with.BaseURL + "/login/upstream/" + id + "/backchannel-logout"
}

// again reports whether the person comes to prove anew who they are, for something grave.
func again(attempt storage.UpstreamAttempt) bool {
	return ledFrom(attempt).Get(websession.AgainVariable) == "1"
}

// ledFrom is the query of the sign-in page that somebody was led from.
func ledFrom(attempt storage.UpstreamAttempt) url.Values {
	then, err := url.Parse(attempt.Then)
	if err != nil || then.Path != "/login" {
		return nil
	}
	return then.Query()
}

// wantsFresh reports how long ago the person may have proven who they are, negative: any time,
// and whether that has to be told: as the app asks for, or what it asks for demands, or what
// they were about to do.
func (p *Pages) wantsFresh(ctx context.Context, attempt storage.UpstreamAttempt) (time.Duration, bool, error) {
	switch {
	case attempt.Request != "":
		within, told, err := p.page.WantsFresh(ctx, attempt.Request)
		if again(attempt) {
			within = max(within, 0)
		}
		return within, told, err
	case again(attempt):
		seconds, _ := strconv.ParseUint(ledFrom(attempt).Get(websession.WithinVariable), 10, 31)
		within := time.Duration(seconds) * time.Second
		return within, within > 0 && within <= websession.FreshFor, nil
	}
	return -1, false, nil
}

func digest(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// Names of the cookie that knows the browser again, with the __Host- prefix as the
// session's has it.
const (
	secureVisitCookie = "__Host-portico-upstream"
	plainVisitCookie  = "portico-upstream"
)

func (p *Pages) cookie(value string) *http.Cookie {
	name, secure := plainVisitCookie, strings.HasPrefix(p.with.BaseURL, "https://")
	if secure {
		name = secureVisitCookie
	}
	return &http.Cookie{Name: name, Value: value, Path: "/", Secure: secure, HttpOnly: true,
		SameSite: http.SameSiteLaxMode}
}

// browser names the browser: attempts in several of its windows have one name.
func (p *Pages) browser(w http.ResponseWriter, r *http.Request) string {
	if name := p.knownBrowser(r); name != "" {
		return name
	}
	name := p.with.Ambient.Token()
	http.SetCookie(w, p.cookie(name))
	return name
}

func (p *Pages) knownBrowser(r *http.Request) string {
	cookies := r.CookiesNamed(p.cookie("").Name)
	if len(cookies) != 1 || len(cookies[0].Value) != len(p.with.Ambient.Token()) {
		return ""
	}
	return cookies[0].Value
}

// formPost takes Apple's answer, which its page posts without our cookies, and brings
// it as the others come. The name that is beside it is unsigned: a suggestion.
func (p *Pages) formPost(w http.ResponseWriter, r *http.Request) error {
	form, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	answer := url.Values{}
	for _, name := range []string{"state", "code", "error", "iss", "user"} {
		if value := form.Get(name); value != "" {
			answer.Set(name, value)
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, r.URL.Path+"?"+answer.Encode(), http.StatusSeeOther)
	return nil
}

var errAttempt = fault.New(fault.Invalid, "upstream_attempt",
	"This answer belongs to no sign-in of this browser, or its time is over. Start again from the sign-in page.")

// callback takes the upstream's answer.
func (p *Pages) callback(w http.ResponseWriter, r *http.Request) error {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	id, err := httpio.PathID(r, upstreamPathVar)
	if err != nil {
		return err
	}
	browser, state := p.knownBrowser(r), query.Get("state")
	if browser == "" || state == "" {
		return errAttempt
	}
	attempt, err := p.with.Store.SpendAttempt(r.Context(), id, digest(state), digest(browser), p.with.Ambient.Now())
	if fault.Is(err, fault.NotFound) {
		return errAttempt
	}
	if err == nil {
		err = p.ofSession(r, attempt)
	}
	if err != nil {
		return err
	}
	err = p.answered(w, r, attempt, query)
	if attempt.UserID == "" { // who connects an account is signed in already
		httpio.From(r.Context()).Tried(err)
	}
	return err
}

// answered looks at what the upstream says to the attempt, and goes on.
func (p *Pages) answered(w http.ResponseWriter, r *http.Request, attempt storage.UpstreamAttempt,
	query url.Values) error {
	upstream, config, err := p.find(r.Context(), attempt.UpstreamID)
	if err != nil {
		return err
	}
	proven, err := p.proven(r.Context(), upstream, config, attempt, query)
	if err != nil {
		return p.refused(r.Context(), upstream.ID, err)
	}
	return p.arrive(w, r, attempt, proven)
}

// ofSession refuses an attempt to connect an account whose owner has signed out
// meanwhile, or somebody else in.
func (p *Pages) ofSession(r *http.Request, attempt storage.UpstreamAttempt) error {
	if attempt.UserID == "" {
		return nil
	}
	session, signedIn, err := p.page.Sessions.Find(r)
	if err == nil && (!signedIn || session.ID != attempt.SessionID) {
		return errAttempt
	}
	return err
}

var errNotAccepted = fault.New(fault.Invalid, "upstream_answer",
	"What the provider answered was not accepted. Tell the administrator of this server if it happens again.")

var (
	errStopped = fault.New(fault.Invalid, "upstream_stopped",
		"You stopped the sign-in at the provider, or it was refused there.")
	errMisconfigured = fault.New(fault.Invalid, "upstream_refuses",
		"The provider refuses this server. Tell the administrator of this server, or sign in another way.")
)

// answered is what an error in the answer of an upstream means for the person: they stopped,
// the upstream can't at the moment, or it does not take what this server asks of it. Apple and
// LinkedIn have words of their own for who stopped.
func answered(code string) error {
	why := causef("the answer is the error %.100q", code)
	switch code {
	case "", "access_denied", "login_required", "interaction_required", "consent_required", "account_selection_required",
		"user_cancelled_authorize", "user_cancelled_login":
		return errStopped.Because(why)
	case "server_error", "temporarily_unavailable":
		return errUnreachable.Because(why)
	}
	return errMisconfigured.Because(why)
}

// refused notes for the log why an answer is not accepted, which nobody else is told.
func (p *Pages) refused(ctx context.Context, id string, err error) error {
	why := fault.From(err)
	p.with.Log.WarnContext(ctx, "an upstream's answer was not accepted", "upstream", id, "cause", err.Error())
	if why.Kind == fault.Internal {
		return errNotAccepted.Because(err)
	}
	return err
}
