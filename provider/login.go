package provider

import (
	"context"
	"errors"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates/texts"
)

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
	v.page.Passkey.First = signedIn && withoutPassword(session.LoginSession)
	if signedIn && v.request == "" && !v.wants(session, p.ambient.Now()) {
		redirect(w, r, v.then)
		return nil
	}
	if signedIn && (v.request == "" || v.again) {
		v.page.Username = session.User.Email
	}
	return p.loginPage(w, r, http.StatusOK, v)
}

func (p *Provider) loginPage(w http.ResponseWriter, r *http.Request, status int, v visit) error {
	v.page.ForgottenURL, v.page.SignUpURL = p.help.ForgottenURL, p.help.SignUpURL
	first := v.page.Passkey.First
	v.page.Passkey = p.second().passkeyForm(w, r, v.at(passkeyPath), nil)
	v.page.Passkey.Autofill, v.page.Passkey.First = true, first
	if err := (arriving{p}).offer(r, &v); err != nil {
		return err
	}
	return p.page(w, r, status, v.policy(), func() error { return p.pages.Login(w, v.page) })
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
	if to, err := p.elsewhere.Leads(r.Context(), form.Get("username")); err != nil || to != "" {
		return arriving{p}.lead(w, r, v, to, err)
	}
	s, err := p.checkPassword(r, form.Get("username"), form.Get("password"))
	httpio.From(r.Context()).Tried(err)
	switch f := fault.From(err); {
	case err == nil:
	case f.Kind == fault.Unauthenticated:
		v.page.Error = webpage.Detail(f)
		return p.loginPage(w, r, http.StatusUnprocessableEntity, v)
	case f.Kind == fault.TooMany:
		v.page.Error = webpage.Detail(f)
		httpio.SetRetryAfter(w.Header(), f.RetryAfter)
		return p.loginPage(w, r, http.StatusTooManyRequests, v)
	case ofDirectory(f):
		return atDirectory{p}.refused(w, r, v, f)
	default:
		return err
	}
	return p.second().goOn(w, r, v, s)
}

// checkPassword returns the sign-in of the person whose password it is. Unknown,
// disabled and mistaken take the same time and give the same answer.
func (p *Provider) checkPassword(r *http.Request, login, password string) (s websession.SignIn, err error) {
	ctx := r.Context()
	user, hash, err := p.store.FindUserByLogin(ctx, login)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return s, err
	}
	browser := p.sessions.TrustedBrowser(r, user.ID, storage.PasswordDigest(hash))
	one := try{userID: user.ID, login: login, browser: browser, address: httpio.From(ctx).Address}
	look, err := p.attempts.begin(ctx, one)
	if err != nil {
		return s, err
	}
	typed := storage.Typed{Login: login, Password: password, User: user, HasHash: hash != "", Unseen: !look}
	if s, asked, err := (atDirectory{p}).judge(ctx, typed, one); asked || err != nil {
		return s, err
	}
	if !look {
		hash = "" // the same work and the same answer, whatever was typed
	}
	ok, hash, err := p.verify(ctx, user, hash, password)
	if err != nil {
		return s, errors.Join(err, p.attempts.untried(ctx, one))
	}
	if !ok || user.Disabled {
		return s, atDirectory{p}.missed(ctx, typed)
	}
	return websession.SignIn{User: user, ACR: storage.ACRPassword, AMR: []string{"pwd"},
		Proof: storage.Proof{Password: storage.PasswordDigest(hash)}}, p.attempts.succeeded(ctx, one)
}

// verify returns beside its judgment the hash that is kept from now on.
func (p *Provider) verify(ctx context.Context, user storage.User, hash,
	password string) (ok bool, kept string, err error) {
	if hash == "" {
		return false, "", p.passwords.VerifyNothing(ctx, password)
	}
	ok, stale, err := p.passwords.Verify(ctx, hash, password)
	if err != nil || !ok || !stale {
		return ok, hash, err
	}
	fresh, kept, err := renew(ctx, p, user.ID, hash, password)
	if err != nil { // the old hash is good enough until next time
		p.log.WarnContext(ctx, "renewing a password hash", "error", err)
		return true, hash, nil
	}
	if kept != fresh { // somebody signed in at the same time; or it is another password now
		ok, _, err = p.passwords.Verify(ctx, kept, password)
	}
	return ok, kept, err
}

// renew hashes the password under newer parameters, and returns that hash and the one
// that is kept from now on.
func renew(ctx context.Context, p *Provider, userID, old, password string) (fresh, kept string, err error) {
	if fresh, err = p.passwords.Hash(ctx, password); err != nil {
		return "", "", err
	}
	if err := p.store.RehashPassword(ctx, userID, old, fresh); err != nil {
		return "", "", err
	}
	kept, err = p.store.FindPasswordHash(ctx, userID)
	return fresh, kept, err
}

// failedSignIn notes the failure, of unknown names too: an answer that skipped
// the write would come sooner, and tell that there is no such account.
func (p *Provider) failedSignIn(ctx context.Context, user storage.User) error {
	refusal := fault.New(fault.Unauthenticated, "wrong_login", wrongLogin)
	act := p.act(ctx, storage.Actor{Kind: storage.ActorUser, ID: user.ID})
	if err := p.store.RecordAudit(ctx, storage.AuditEvent{Act: act, Kind: "user.sign_in_failed",
		Subject: user.ID}); err != nil {
		return err
	}
	return refusal
}
