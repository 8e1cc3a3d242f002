package provider

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// fieldPasskey is the field with what a passkey answers.
const fieldPasskey = "passkey"

// Between the password and the second factor nobody is signed in: what is known of the
// person stands, sealed, in a cookie that is good for that factor's page and
// for nothing else.

// Names of the cookie, with the __Host- prefix as the session's has it.
const (
	secureHalfwayCookie = "__Host-portico-halfway"
	plainHalfwayCookie  = "portico-halfway"
)

const (
	halfwayLabel = "halfway through a sign-in"
	halfwayLife  = 10 * time.Minute

	// maxCarriedHint is how much of a sign-in at an upstream a cookie holds beside the
	// rest. Without it the upstream asks whom it is to sign out.
	maxCarriedHint = 2000
)

// halfway is somebody who has typed their password, or comes from an upstream, and has
// yet to type a code.
type halfway struct {
	UserID  string        `json:"user"`
	Request string        `json:"request"` // the parked request that they sign in for; empty: none
	Proof   storage.Proof `json:"proof"`   // of the first step; another password voids this
	Until   time.Time     `json:"until"`
}

func (p secondStep) halfwayCookie(value string) *http.Cookie {
	cookie := p.ownCookie(plainHalfwayCookie, secureHalfwayCookie, value)
	cookie.MaxAge = int(halfwayLife.Seconds())
	return cookie
}

// secondStep is what comes between the password and the session.
type secondStep struct{ *Provider }

func (p *Provider) second() secondStep { return secondStep{p} }

// ask sends the person on to the page that asks for a second factor, or for a new
// one.
func (p secondStep) ask(w http.ResponseWriter, r *http.Request, v visit, user storage.User,
	proof storage.Proof, path string) error {
	if len(proof.UpstreamHint) > maxCarriedHint {
		proof.UpstreamHint = nil
	}
	text, err := json.Marshal(halfway{user.ID, v.request, proof, p.ambient.Now().Add(halfwayLife)})
	if err != nil {
		return err
	}
	box := p.ring.Seal(halfwayLabel, text, nil)
	http.SetCookie(w, p.halfwayCookie(base64.RawURLEncoding.EncodeToString(box)))
	redirect(w, r, v.at(path))
	return nil
}

// halfwayOf returns who is halfway through the visit's sign-in in the request's
// browser, and what they have proven. False: nobody, or they took too long, or the
// password has changed.
func (p secondStep) halfwayOf(r *http.Request, v visit) (user storage.User, proof storage.Proof, ok bool, err error) {
	cookies := r.CookiesNamed(p.halfwayCookie("").Name)
	if len(cookies) != 1 {
		return user, proof, false, nil
	}
	half, ok := p.openHalfway(cookies[0].Value)
	if !ok || half.Request != v.request || p.ambient.Now().After(half.Until) {
		return user, proof, false, nil
	}
	user, err = p.store.FindUser(r.Context(), half.UserID)
	if fault.Is(err, fault.NotFound) || err == nil && user.Disabled {
		return user, proof, false, nil
	}
	if err != nil {
		return user, proof, false, err
	}
	hash, err := p.store.FindPasswordHash(r.Context(), user.ID)
	return user, half.Proof, bytes.Equal(half.Proof.Password, storage.PasswordDigest(hash)), err
}

func (p secondStep) openHalfway(value string) (half halfway, ok bool) {
	box, err := sealing.Decode(value)
	if err != nil {
		return half, false
	}
	text, _, err := p.ring.Open(halfwayLabel, box, nil)
	return half, err == nil && json.Unmarshal(text, &half) == nil
}

// showCode serves the page that asks for a code. Whoever has not typed their
// password, or did so too long ago, does that first.
func (p secondStep) showCode(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visitOf(r)
	if err != nil {
		return err
	}
	user, _, ok, err := p.halfwayOf(r, v)
	if err != nil {
		return err
	}
	if !ok {
		redirect(w, r, v.overURL())
		return nil
	}
	return p.codePage(w, r, http.StatusOK, v, user, nil)
}

func (p secondStep) codePage(w http.ResponseWriter, r *http.Request, status int, v visit, user storage.User,
	wrong *fault.Error) error {
	has, err := p.factors.Find(r.Context(), user.ID)
	if err != nil {
		return err
	}
	page := templates.CodePage{
		Frame: v.page.Frame, ClientName: v.page.ClientName, Action: v.at(codePath), BackURL: v.at(loginPath),
		App: has.Authenticator.UserID != "",
	}
	if len(has.Passkeys) > 0 {
		page.Passkey = p.passkeyForm(w, r, page.Action, has.Passkeys)
		page.Passkey.First = !page.App
	}
	if wrong != nil {
		page.Error = webpage.Detail(wrong)
	}
	return p.page(w, r, status, v.policy(), func() error { return p.pages.Code(w, page) })
}

// submitCode signs the person in who is halfway there.
func (p secondStep) submitCode(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visitOf(r)
	if err != nil {
		return err
	}
	form, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	user, proof, ok, err := p.halfwayOf(r, v)
	if err != nil {
		return err
	}
	if !ok {
		redirect(w, r, v.overURL())
		return nil
	}
	proof.TwoFactor = true
	signIn := websession.SignIn{User: user, ACR: storage.ACRTwoFactors, Proof: proof}
	if err = p.mayHere(r.Context(), signIn); err == nil { // before anything is used up
		err = p.prove(r, form, &signIn)
	}
	httpio.From(r.Context()).Tried(err)
	switch f := fault.From(err); {
	case err == nil:
	case f.Kind == fault.Invalid, f.Kind == fault.TooMany:
		return p.codePage(w, r, webpage.Marked(w.Header(), err), v, user, f)
	case f.Kind == fault.NotFound: // an administrator has just removed it
		redirect(w, r, v.at(loginPath))
		return nil
	case f.Kind == fault.Gone:
		return p.over(w, r, v)
	default:
		return err
	}
	p.forget(w)
	return p.signedIn(w, r, v, signIn)
}

// over has somebody sign in again: what they have shown counts no more.
func (p secondStep) over(w http.ResponseWriter, r *http.Request, v visit) error {
	v.page.Action, v.page.Error = v.at(loginPath), webpage.Detail(errSignInOver)
	return p.loginPage(w, r, http.StatusConflict, v)
}

// forget ends what stands between password and second factor.
func (p secondStep) forget(w http.ResponseWriter) {
	over := p.halfwayCookie("")
	over.MaxAge = -1
	http.SetCookie(w, over)
}

// prove looks at the code or the passkey, which must be the same person's, and
// notes which it was.
func (p secondStep) prove(r *http.Request, form url.Values, s *websession.SignIn) error {
	answer := form.Get(fieldPasskey)
	if answer == "" {
		s.AMR = first(s.Proof, storage.AMRTwoFactors())
		act := p.act(r.Context(), storage.Actor{Kind: storage.ActorUser, ID: s.User.ID})
		return p.factors.Prove(r.Context(), act, s.User.ID, form.Get("code"), &s.Proof)
	}
	passkey, err := p.provePasskey(r, answer)
	if err == nil && passkey.UserID != s.User.ID {
		err = errWrongPasskey
	}
	s.AMR, s.Proof.Passkey = first(s.Proof, storage.AMRPasswordAndPasskey()), passkey.ID
	return err
}

// first leaves the password out of what somebody was proven with who did not type it
// here.
func first(proof storage.Proof, amr []string) []string {
	if proof.Upstream.UpstreamID == "" {
		return amr
	}
	return slices.DeleteFunc(amr, func(method string) bool { return method == "pwd" })
}

var errWrongPasskey = fault.New(fault.Invalid, "wrong_passkey",
	"The passkey was not accepted. Load the page again and try once more, or choose another way.")
