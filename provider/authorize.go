package provider

import (
	"cmp"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/clientprofile"
)

// authorize serves GET and POST of authorizePath.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) error {
	params, repeated, err := readAuthorize(w, r)
	if err != nil {
		return err
	}
	came, err := arrivals{p}.arrive(r.Context(), w.Header(), params)
	if err != nil {
		return arrivals{p}.refuse(r.Context(), w.Header(), params, err)
	}
	if repeated != nil {
		came.refusal = repeated
	}
	return p.proceed(w, r, came)
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
	return p.proceed(w, r, arrival{params: params, parked: parked{LoginRequest: request}})
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

// proceed takes an authorize request as far as it goes now: to a person, or
// back to the client with a code, an ID token or an error.
func (p *Provider) proceed(w http.ResponseWriter, r *http.Request, came arrival) error {
	params, parked := came.params, came.parked
	target, err := p.proveTarget(r.Context(), params)
	if over := (arrivals{p}).count(r.Context(), w.Header(), target, parked); over != nil {
		return over
	}
	if err != nil {
		return err
	}
	httpio.From(r.Context()).ClientID = target.client.ID
	if came.refusal != nil {
		p.tellRefusal(r.Context(), target.client, params, came.refusal)
		return p.refuse(w, r, target, parked, came.refusal)
	}
	request, err := p.checkAuthorize(r.Context(), target, params)
	if err != nil {
		p.tellRefusal(r.Context(), target.client, params, err)
		return p.refuse(w, r, target, parked, err)
	}
	return p.interact(w, r, request, parked)
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
		return p.ask(w, r, request, stepResume, parked)
	case err != nil:
		return p.refuse(w, r, request.target, parked, err)
	case next == stepIssue:
		return p.issue(w, r, request, s, parked)
	}
	return p.ask(w, r, request, next, parked)
}

// fillConsent adds to the situation what the signed-in person may do and has
// allowed.
func (p *Provider) fillConsent(r *http.Request, request *authorizeRequest, session *websession.Session,
	parked parked, s *situation) error {
	s.session = session
	if parked.DecidedBy == session.ID && parked.ID != "" {
		s.decided, s.allowed = true, parked.Allowed
	}
	var err error
	if s.barred, err = barred(r.Context(), p.store, request.client, session.UserID); err != nil {
		return err
	}
	consent, err := p.store.FindConsent(r.Context(), session.UserID, request.client.ID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if !request.client.otherSince(consent.UpdatedAt) {
		s.remembered = consent.Scopes
	}
	return request.leaveOut(consent.LeftOut)
}

// ask parks the request, if it is not parked yet, and sends the browser to the
// page that asks for what is missing.
func (p *Provider) ask(w http.ResponseWriter, r *http.Request, request *authorizeRequest,
	next step, parked parked) error {
	if parked.ID == "" {
		kept, err := arrivals{p}.park(r.Context(), request)
		if err != nil {
			return p.refuse(w, r, request.target, parked, err)
		}
		parked.LoginRequest = kept
	}
	page := map[step]string{stepLogin: loginPath, stepAgain: loginPath, stepConsent: consentPath}[next]
	to := pageURL(cmp.Or(page, ResumePath), parked.ID)
	if next == stepAgain {
		to = httpio.WithQuery(to, websession.AgainVariable+"=1")
	}
	redirect(w, r, to)
	return nil
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
	redirectWith(w, clientprofile.Profile{}.RedirectStatus(r.Method), to)
}

func redirectWith(w http.ResponseWriter, status int, to string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", to)
	w.WriteHeader(status)
}
