package provider

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// ownForm guards a form of ours against being sent by other sites.
func (p *Provider) ownForm(fn httpio.Handler) httpio.Endpoint {
	return httpio.Endpoint{Handler: websession.Protect(p.writePageError)(httpio.Handle(p.writePageError, fn))}
}

// parkedRequest returns the parked request that the query names.
func (p *Provider) parkedRequest(r *http.Request) (storage.LoginRequest, error) {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return storage.LoginRequest{}, err
	}
	id, now := query.Get("request"), p.ambient.Now()
	request, err := p.store.FindLoginRequest(r.Context(), id, now)
	if !fault.Is(err, fault.NotFound) {
		return request, err
	}
	finished, err := p.store.FindAnsweredRequest(r.Context(), id, now)
	switch {
	case err == nil:
		err = errRequestOver.Because(errFinished{finished})
	case fault.Is(err, fault.NotFound):
		err = errRequestOver.Because(err)
	}
	return storage.LoginRequest{}, err
}

// errFinished is that a request was answered a few minutes ago.
type errFinished struct{ storage.LoginRequest }

func (errFinished) Error() string { return "the request was answered" }

// anew is the way to make a finished request once more. There is none for a client
// that has to push its requests: only itself can make them.
func (p *Provider) anew(ctx context.Context, f *fault.Error) templates.Link {
	var finished errFinished
	if !errors.As(f, &finished) {
		return templates.Link{}
	}
	c, err := p.clients.find(ctx, finished.ClientID)
	if err != nil || c.mustPush() || c.mustSign() {
		return templates.Link{}
	}
	params, err := url.ParseQuery(finished.Params)
	if err != nil {
		return templates.Link{}
	}
	params.Set("client_id", c.name()) // which a pushed request of a described client does not have
	return templates.Link{URL: authorizePath + "?" + params.Encode(), Text: texts.Say("errors.way.anew")}
}

var errSignInOver = fault.New(fault.Gone, storage.ReasonSignInOver,
	"Something about your account changed while you signed in. Please sign in again.")

// visit is what the sign-in page knows about why somebody came.
type visit struct {
	request string        // id of the parked request; empty: none
	then    string        // where to go without a parked request
	again   bool          // even who is signed in proves who they are, unless they just did
	within  time.Duration // how long ago that is; negative: as before anything grave
	strong  bool          // two factors are insisted on
	page    templates.LoginPage
}

// strongVariable is the parameter of the sign-in page's address that insists on two
// factors where no parked request does.
const strongVariable = "strong"

// overVariable is the one that says that what somebody had shown by then counts no more.
const overVariable = "over"

// overURL is where somebody begins anew whose first step counts no more, and is told so.
func (v visit) overURL() string {
	return httpio.WithQuery(v.at(loginPath), overVariable+"=1")
}

// visitOf reads the parked request, if the query names one.
func (p *Provider) visitOf(r *http.Request) (visit, error) {
	v := visit{page: templates.LoginPage{Frame: webpage.Frame(r), Action: loginPath},
		then: websession.Then(r.URL.Query().Get("then")), within: -1}
	v.again = r.URL.Query().Get(websession.AgainVariable) == "1"
	if !r.URL.Query().Has("request") {
		if v.then != "/" {
			v.page.Action = loginPath + "?" + r.URL.RawQuery
		}
		v.strong = r.URL.Query().Get(strongVariable) == "1"
		if seconds, err := strconv.ParseUint(r.URL.Query().Get(websession.WithinVariable), 10, 31); err == nil {
			v.within = time.Duration(seconds) * time.Second
		}
		v.page.Notice = v.notice(r.URL.Query())
		return v, nil
	}
	request, err := p.parkedRequest(r)
	if err != nil {
		return v, err
	}
	a, err := p.parkedAuthorize(r.Context(), request)
	if err != nil {
		return v, err
	}
	v.request, v.strong = request.ID, a.strong
	v.page.Frame = a.frame(r)
	v.page.ClientName, v.page.Username = a.client.Name, a.loginHint
	v.page.Action = v.at(loginPath)
	if query := r.URL.Query(); query.Has(overVariable) || v.again {
		v.page.Notice = v.notice(query)
	}
	return v, nil
}

// wants reports whether even who is signed in so has to prove who they are. Whoever sends
// people here for a fresh sign-in counts both ways, as this has to: else the two send them
// to and fro.
func (v visit) wants(session websession.Session, now time.Time) bool {
	proven, within := session.AuthTime, v.within
	if within < 0 {
		proven, within = session.ProvenAt(), websession.FreshFor
	}
	return v.strong && session.ACR != storage.ACRTwoFactors || v.again && now.Sub(proven).Abs() > within
}

// notice says why somebody is to sign in.
func (v visit) notice(query url.Values) texts.Text {
	switch {
	case query.Get(overVariable) == "1":
		return texts.Say("sign-in.over")
	case websession.Waits(v.then):
		return texts.Say("sign-in.form-waits")
	case query.Get("signed_out") == "1":
		return texts.Say("sign-in.signed-out")
	case v.again:
		return texts.Say("sign-in.again")
	}
	return map[string]texts.Text{"password-set": texts.Say("sign-in.password-set"),
		"set-up": texts.Say("sign-in.set-up")}[query.Get("done")]
}

// parkedAuthorize reads a parked request anew; its client may have changed
// since.
func (p *Provider) parkedAuthorize(ctx context.Context, request storage.LoginRequest) (*authorizeRequest, error) {
	params, err := url.ParseQuery(request.Params)
	if err != nil {
		return nil, err
	}
	t, err := p.proveTarget(ctx, params)
	if err != nil {
		return nil, err
	}
	return p.checkAuthorize(ctx, t, params)
}

// policy is that of the pages of a sign-in.
func (v visit) policy() string {
	if v.request != "" || len(v.page.Elsewhere) > 0 {
		return templates.PolicyInteractive // the POST may end at the client, or at an upstream
	}
	return templates.PolicyOwn
}

// signedIn signs a person in who has proven all that they have to, and goes on to
// where they wanted.
func (p *Provider) signedIn(w http.ResponseWriter, r *http.Request, v visit, s websession.SignIn) error {
	to, err := p.second().begin(w, r, v, s)
	if fault.Is(err, fault.Gone) || fault.Is(err, fault.NotFound) {
		return p.second().over(w, r, v)
	}
	if err == nil {
		redirect(w, r, to)
	}
	return err
}

// goesOn is where somebody goes who signed in.
func (v visit) goesOn() string {
	if v.request == "" {
		return v.then
	}
	return pageURL(ResumePath, v.request)
}

// at is the address of a page of the visit.
func (v visit) at(path string) string {
	query := url.Values{}
	if v.request != "" {
		query.Set("request", v.request)
	} else if v.then != "/" {
		query.Set("then", v.then)
	}
	insists := map[string]bool{websession.AgainVariable: v.again, strongVariable: v.strong && v.request == ""}
	for name, set := range insists {
		if set {
			query.Set(name, "1")
		}
	}
	if v.within >= 0 {
		query.Set(websession.WithinVariable, strconv.Itoa(int(v.within.Seconds())))
	}
	if len(query) > 0 {
		return path + "?" + query.Encode()
	}
	return path
}
