package provider

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/storage"
)

// authorize serves GET and POST of authorizePath.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) error {
	params, repeated, err := readAuthorize(w, r)
	if err != nil {
		return err
	}
	return p.proceed(w, r, params, repeated, parked{})
}

// resume serves the way back from sign-in and consent: the parked request is
// judged from the start, as if it came now.
func (p *Provider) resume(w http.ResponseWriter, r *http.Request) error {
	request, err := p.parkedRequest(r)
	if err != nil {
		return err
	}
	params, err := url.ParseQuery(request.Params)
	if err != nil {
		return err
	}
	return p.proceed(w, r, params, nil, parked{LoginRequest: request})
}

// parked is the login request that an authorize request was parked as; its
// zero value means it never was.
type parked struct {
	storage.LoginRequest
}

// readAuthorize reads the parameters from query or body. A repeated parameter
// comes back apart, to be told to the client once that is proven; where the
// client or its redirect URI is what is repeated, nothing can be proven.
func readAuthorize(w http.ResponseWriter, r *http.Request) (params url.Values, repeated, err error) {
	if r.Method == http.MethodPost {
		params, err = httpio.ReadForm(w, r)
	} else {
		params, err = httpio.ReadQuery(r)
	}
	if err != nil && len(params["client_id"]) == 1 && len(params["redirect_uri"]) == 1 {
		return withoutEmpty(params), err, nil
	}
	return withoutEmpty(params), nil, err
}

// withoutEmpty leaves out parameters without a value, which count as not sent
// (RFC 6749 section 3.1). An empty code_challenge stays, to be refused: who
// sent one meant to be protected by it.
func withoutEmpty(params url.Values) url.Values {
	maps.DeleteFunc(params, func(name string, values []string) bool {
		return name != "code_challenge" && len(values) == 1 && values[0] == ""
	})
	return params
}

// proceed takes an authorize request as far as it goes now: to a person, or
// back to the client with a code, an ID token or an error.
func (p *Provider) proceed(w http.ResponseWriter, r *http.Request, params url.Values, repeated error, parked parked) error {
	target, err := p.proveTarget(r.Context(), params)
	if over := p.countAuthorize(r.Context(), w.Header(), target, parked); over != nil {
		return over
	}
	if err != nil {
		return err
	}
	httpio.From(r.Context()).ClientID = target.client.ID
	if repeated != nil {
		p.tellRefusal(r.Context(), target.client, params, repeated)
		return p.refuse(w, r, target, parked, repeated)
	}
	request, err := p.checkAuthorize(r.Context(), target, params)
	if err != nil {
		p.tellRefusal(r.Context(), target.client, params, err)
		return p.refuse(w, r, target, parked, err)
	}
	return p.interact(w, r, request, parked)
}

// countAuthorize counts a call that is not the way back from our own pages.
func (p *Provider) countAuthorize(ctx context.Context, answer http.Header, t target, parked parked) error {
	switch {
	case parked.ID != "":
		return nil
	case t.client == nil:
		return p.calls.at(ctx, answer, ratelimit.Authorize, "")
	}
	return p.calls.at(ctx, answer, ratelimit.Authorize, t.client.ID)
}

// interact does the next step: sign-in, consent, or the answer.
func (p *Provider) interact(w http.ResponseWriter, r *http.Request, request *authorizeRequest, parked parked) error {
	session, signedIn, err := p.sessions.Find(r)
	if err != nil {
		return err
	}
	s := situation{now: p.ambient.Now()}
	if signedIn {
		s.met = parked.ID != "" && session.MetRequest == parked.ID
		httpio.From(r.Context()).UserID = session.UserID
		if err := p.fillConsent(r, request, &session, parked, &s); err != nil {
			return err
		}
	}
	next, err := nextStep(request, s)
	switch {
	case r.Method == http.MethodPost:
		return p.ask(w, r, request, stepResume, parked, s.now)
	case err != nil:
		return p.refuse(w, r, request.target, parked, err)
	case next == stepIssue:
		return p.issue(w, r, request, s, parked)
	}
	return p.ask(w, r, request, next, parked, s.now)
}

// fillConsent adds to the situation what the signed-in person may do and has
// allowed.
func (p *Provider) fillConsent(r *http.Request, request *authorizeRequest, session *websession.Session, parked parked, s *situation) error {
	s.session = session
	if parked.DecidedBy == session.ID && parked.ID != "" {
		s.decided, s.allowed = true, parked.Allowed
	}
	var err error
	if s.barred, err = p.barred(r.Context(), request.client, session.UserID); err != nil {
		return err
	}
	consent, err := p.store.FindConsent(r.Context(), session.UserID, request.client.ID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	s.remembered = consent.Scopes
	return nil
}

// maxParked is how large a request may be that is to be kept, in bytes.
const maxParked = 8 << 10

// ask parks the request, if it is not parked yet, and sends the browser to the
// page that asks for what is missing.
func (p *Provider) ask(w http.ResponseWriter, r *http.Request, request *authorizeRequest, next step, parked parked, now time.Time) error {
	if parked.ID == "" {
		params := known(request.params).Encode()
		if len(params) > maxParked {
			return p.refuse(w, r, request.target, parked, fault.New(fault.Invalid, "invalid_request", "The request is too long."))
		}
		parked.LoginRequest = storage.LoginRequest{
			ID: p.ambient.Token(), ClientID: request.client.ID, Params: params,
			CreatedAt: now, ExpiresAt: now.Add(p.lifetimes.LoginRequest),
		}
		if err := p.store.ParkLoginRequest(r.Context(), parked.LoginRequest); err != nil {
			return err
		}
	}
	page := map[step]string{stepLogin: loginPath, stepConsent: consentPath, stepResume: resumePath}[next]
	redirect(w, r, pageURL(page, parked.ID))
	return nil
}

// known keeps the parameters that are read: strangers must not fill our tables
// with the others.
func known(params url.Values) url.Values {
	kept := url.Values{}
	for _, name := range []string{
		"client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "prompt", "max_age",
		"id_token_hint", "login_hint", "ui_locales", "claims", "authoptions", "code_challenge", "code_challenge_method", "dpop_jkt",
	} {
		if params.Has(name) {
			kept[name] = params[name]
		}
	}
	return kept
}

// pageURL is the address of a page about a parked request.
func pageURL(path, request string) string {
	if request == "" {
		return path
	}
	return path + "?request=" + url.QueryEscape(request)
}

// redirect sends the browser on with GET: 302 after a GET, 303 after a form
// (RFC 9700 section 4.12: never 307).
func redirect(w http.ResponseWriter, r *http.Request, to string) {
	status := http.StatusFound
	if r.Method == http.MethodPost {
		status = http.StatusSeeOther
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", to)
	w.WriteHeader(status)
}
