package provider

import (
	"context"
	"errors"
	"net/http"
	"net/url"

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
	request, err := p.store.FindLoginRequest(r.Context(), query.Get("request"), p.ambient.Now())
	if fault.Is(err, fault.NotFound) {
		return request, errRequestOver
	}
	return request, err
}

var errRequestOver = fault.New(fault.Gone, "login_request_over", "This sign-in was finished already, or it took too long.")

// visit is what the sign-in page knows about why somebody came.
type visit struct {
	request string // id of the parked request; empty: none
	then    string // where to go without a parked request
	again   bool   // even who is signed in proves who they are
	page    templates.LoginPage
}

// visitOf reads the parked request, if the query names one.
func (p *Provider) visitOf(r *http.Request) (visit, error) {
	v := visit{page: templates.LoginPage{Frame: webpage.Frame(r), Action: loginPath}, then: websession.Then(r.URL.Query().Get("then"))}
	if !r.URL.Query().Has("request") {
		if v.then != "/" {
			v.page.Action = loginPath + "?" + r.URL.RawQuery
		}
		v.again = r.URL.Query().Get(websession.AgainVariable) == "1"
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
	v.request = request.ID
	v.page.Frame = a.frame(r)
	v.page.ClientName, v.page.Username = a.client.Name, a.loginHint
	v.page.Action = pageURL(loginPath, request.ID)
	return v, nil
}

// notice says why somebody is to sign in.
func (v visit) notice(query url.Values) texts.Text {
	switch {
	case websession.Waits(v.then):
		return texts.Say("sign-in.form-waits")
	case query.Get("signed_out") == "1":
		return texts.Say("sign-in.signed-out")
	case v.again:
		return texts.Say("sign-in.again")
	}
	return map[string]texts.Text{"password-set": texts.Say("sign-in.password-set"), "set-up": texts.Say("sign-in.set-up")}[query.Get("done")]
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

// showLogin serves the sign-in page. With ?request= it is a step of that parked
// request, and names its app.
func (p *Provider) showLogin(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visitOf(r)
	if err != nil {
		return err
	}
	session, signedIn, err := p.sessions.Find(r)
	if err != nil {
		return err
	}
	if signedIn && v.request == "" {
		if !v.again || p.ambient.Now().Sub(session.AuthTime) <= websession.FreshFor {
			redirect(w, r, v.then)
			return nil
		}
		v.page.Username = session.User.Email
	}
	return p.loginPage(w, r, http.StatusOK, v)
}

func (p *Provider) loginPage(w http.ResponseWriter, r *http.Request, status int, v visit) error {
	policy := templates.PolicyOwn
	v.page.ForgottenURL, v.page.SignUpURL = p.help.ForgottenURL, p.help.SignUpURL
	if v.request != "" {
		policy = templates.PolicyInteractive // the POST may end at the client
	}
	return p.page(w, r, status, policy, func() error { return p.pages.Login(w, v.page) })
}

// wrongLogin is the one answer to an unknown name and to a wrong password.
const wrongLogin = "The user name or the password is not right. Check both and try again."

func (p *Provider) submitLogin(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visitOf(r)
	if err != nil {
		return err
	}
	form, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	v.page.Username, v.page.Notice = form.Get("username"), texts.Text{}
	user, err := p.checkPassword(r, form.Get("username"), form.Get("password"))
	switch f := fault.From(err); {
	case err == nil:
	case f.Kind == fault.Unauthenticated:
		v.page.Error = webpage.Detail(f)
		return p.loginPage(w, r, http.StatusUnprocessableEntity, v)
	case f.Kind == fault.TooMany:
		v.page.Error = webpage.Detail(f)
		httpio.SetRetryAfter(w.Header(), f.RetryAfter)
		return p.loginPage(w, r, http.StatusTooManyRequests, v)
	default:
		return err
	}
	act := p.help.tell(p.act(r.Context(), storage.Actor{Kind: storage.ActorUser, ID: user.ID}), user, p.sessions.KnownBrowser(r, user.ID), r)
	if _, err := p.sessions.StartFor(w, r, v.request, user, acrPassword, []string{"pwd"}, act); err != nil {
		return err
	}
	p.sessions.RememberBrowser(w, user.ID)
	p.logouts.nudge() // another person's session may have ended
	if v.request == "" {
		redirect(w, r, v.then)
		return nil
	}
	redirect(w, r, pageURL(resumePath, v.request))
	return nil
}

// checkPassword returns the person whose password it is. Unknown, disabled and
// mistaken take the same time and give the same answer.
func (p *Provider) checkPassword(r *http.Request, login, password string) (storage.User, error) {
	ctx := r.Context()
	user, hash, err := p.store.FindUserByLogin(ctx, login)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return storage.User{}, err
	}
	one := try{userID: user.ID, login: login, browser: p.sessions.KnownBrowser(r, user.ID), address: httpio.From(ctx).Address}
	look, err := p.attempts.begin(ctx, one)
	if err != nil {
		return storage.User{}, err
	}
	if !look {
		hash = "" // the same work and the same answer, whatever was typed
	}
	ok, err := p.verify(ctx, user, hash, password)
	if err != nil {
		return storage.User{}, errors.Join(err, p.attempts.untried(ctx, one))
	}
	if !ok || user.Disabled {
		return storage.User{}, p.failedSignIn(ctx, user)
	}
	return user, p.attempts.succeeded(ctx, one)
}

func (p *Provider) verify(ctx context.Context, user storage.User, hash, password string) (bool, error) {
	if hash == "" {
		return false, p.passwords.VerifyNothing(ctx, password)
	}
	ok, stale, err := p.passwords.Verify(ctx, hash, password)
	if err != nil || !ok || !stale {
		return ok, err
	}
	fresh, err := p.passwords.Hash(ctx, password)
	if err == nil {
		err = p.store.RehashPassword(ctx, user.ID, hash, fresh)
	}
	if err != nil { // the old hash is good enough until next time
		p.log.WarnContext(ctx, "renewing a password hash", "error", err)
	}
	return true, nil
}

// failedSignIn notes the failure, of unknown names too: an answer that skipped
// the write would come sooner, and tell that there is no such account.
func (p *Provider) failedSignIn(ctx context.Context, user storage.User) error {
	refusal := fault.New(fault.Unauthenticated, "wrong_login", wrongLogin)
	act := p.act(ctx, storage.Actor{Kind: storage.ActorUser, ID: user.ID})
	if err := p.store.RecordAudit(ctx, storage.AuditEvent{Act: act, Kind: "user.sign_in_failed", Subject: user.ID}); err != nil {
		return err
	}
	return refusal
}
