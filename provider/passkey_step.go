package provider

import (
	"net/http"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// What asks for a passkey is good for the browser that it was shown in alone, which
// a cookie knows again: an answer that was made elsewhere signs nobody in here.

// Names of the cookie, with the __Host- prefix as the session's has it.
const (
	secureVisitorCookie = "__Host-portico-visitor"
	plainVisitorCookie  = "portico-visitor"
)

// ownCookie is a cookie of the sign-in's, which lasts as long as the browser runs.
func (p secondStep) ownCookie(plainName, secureName, value string) *http.Cookie {
	name, secure := plainName, strings.HasPrefix(p.issuer, "https://")
	if secure {
		name = secureName
	}
	return &http.Cookie{Name: name, Value: value, Path: "/", Secure: secure, HttpOnly: true,
		SameSite: http.SameSiteLaxMode}
}

// visitor names the request's browser; empty: it has no name yet, or several.
func (p secondStep) visitor(r *http.Request) string {
	cookies := r.CookiesNamed(p.ownCookie(plainVisitorCookie, secureVisitorCookie, "").Name)
	if len(cookies) != 1 || len(cookies[0].Value) != len(p.ambient.Token()) {
		return ""
	}
	return cookies[0].Value
}

// passkeyForm asks for one of the passkeys, or for any when there are none.
func (p secondStep) passkeyForm(w http.ResponseWriter, r *http.Request, action string,
	passkeys []storage.Passkey) templates.PasskeyForm {
	return templates.PasskeyForm{Ask: p.factors.AskPasskey("visitor "+p.named(w, r), passkeys), Action: action}
}

// named is visitor, of a browser that gets a name if it has none.
func (p secondStep) named(w http.ResponseWriter, r *http.Request) string {
	visitor := p.visitor(r)
	if visitor == "" {
		visitor = p.ambient.Token()
		http.SetCookie(w, p.ownCookie(plainVisitorCookie, secureVisitorCookie, visitor))
	}
	return visitor
}

// provePasskey returns the passkey that the form's answer proves. Invalid for none.
func (p secondStep) provePasskey(r *http.Request, answer string) (storage.Passkey, error) {
	visitor := p.visitor(r)
	if visitor == "" {
		return storage.Passkey{}, errWrongPasskey
	}
	act := p.act(r.Context(), storage.Actor{Kind: storage.ActorUser})
	return p.factors.ProvePasskey(r.Context(), act, "visitor "+visitor, answer)
}

// submitPasskey signs the person in whose passkey it is.
func (p secondStep) submitPasskey(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visitOf(r)
	if err != nil {
		return err
	}
	form, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	user, passkey, err := p.personOfPasskey(r, form.Get(fieldPasskey))
	httpio.From(r.Context()).Tried(err)
	switch f := fault.From(err); {
	case err == nil:
	case f.Kind == fault.Invalid, f.Kind == fault.TooMany:
		v.page.Error, v.page.Notice = webpage.Detail(f), texts.Text{}
		return p.loginPage(w, r, webpage.Marked(w.Header(), err), v)
	default:
		return err
	}
	return p.signedIn(w, r, v, websession.SignIn{
		User: user, ACR: storage.ACRTwoFactors, AMR: storage.AMRPasskey(),
		Proof: storage.Proof{Passkey: passkey.ID, TwoFactor: true},
	})
}

func (p secondStep) personOfPasskey(r *http.Request, answer string) (storage.User, storage.Passkey, error) {
	ctx := r.Context()
	one := try{address: httpio.From(ctx).Address}
	if err := p.attempts.count(ctx, one.network(), networkEvery, networkBurst); err != nil {
		return storage.User{}, storage.Passkey{}, err
	}
	passkey, err := p.provePasskey(r, answer)
	if err != nil {
		return storage.User{}, passkey, err
	}
	user, err := p.store.FindUser(ctx, passkey.UserID)
	if fault.Is(err, fault.NotFound) || err == nil && user.Disabled {
		err = errWrongPasskey
	}
	return user, passkey, err
}

// withoutPassword reports whether the session was begun by a passkey alone.
func withoutPassword(session storage.LoginSession) bool { return !slices.Contains(session.AMR, "pwd") }
