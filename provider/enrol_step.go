package provider

import (
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Whoever must have a second factor and has none adds one between password and
// session: nobody is signed in before they have.

// fieldOffer is the field with the token of what is being added.
const fieldOffer = "offer"

func (p secondStep) showEnrol(w http.ResponseWriter, r *http.Request) error {
	v, user, _, err := p.halfwayVisit(w, r)
	if err != nil || user.ID == "" {
		return err
	}
	if user.TwoFactor {
		redirect(w, r, v.at(codePath))
		return nil
	}
	return p.enrolPage(w, r, http.StatusOK, v, user, nil, nil)
}

// halfwayVisit returns who is halfway through the visit's sign-in. Nobody: the
// browser has been sent to begin it.
func (p secondStep) halfwayVisit(w http.ResponseWriter,
	r *http.Request) (v visit, user storage.User, proof storage.Proof, err error) {
	if v, err = p.visitOf(r); err != nil {
		return v, user, proof, err
	}
	user, proof, ok, err := p.halfwayOf(r, v)
	if err == nil && !ok {
		redirect(w, r, v.overURL())
		return v, storage.User{}, proof, nil
	}
	return v, user, proof, err
}

// enrolPage shows what can be added; typed is what was refused.
func (p secondStep) enrolPage(w http.ResponseWriter, r *http.Request, status int, v visit, user storage.User,
	typed url.Values, wrong *fault.Error) error {
	offer, err := p.factors.Offer(user, typed.Get(fieldOffer))
	if err != nil {
		return err
	}
	ask, err := p.factors.OfferPasskey(r.Context(), user, p.named(w, r))
	if err != nil {
		return err
	}
	page := templates.EnrolPage{
		Frame: v.page.Frame, ClientName: v.page.ClientName, Action: v.at(enrolPath), BackURL: v.at(loginPath), Offer: offer,
		ByApp: v.strong && !p.sessions.Demands(user),
		Form:  p.factors.PasskeyForm(v.at(enrolPath), typed), Ask: ask,
	}
	if wrong != nil && !(ofPasskey(typed) && webpage.Mark(&page.Form, wrong)) {
		page.Error = webpage.Detail(wrong)
	}
	return p.page(w, r, status, v.policy(), func() error { return p.pages.Enrol(w, page) })
}

// ofPasskey reports whether it is the form of a passkey that was sent.
func ofPasskey(form url.Values) bool { return form.Has(fieldPasskey) }

// submitEnrol adds the factor and signs the person in. Sent again it leads to the
// same recovery codes.
func (p secondStep) submitEnrol(w http.ResponseWriter, r *http.Request) error {
	v, user, proof, err := p.halfwayVisit(w, r)
	if err != nil || user.ID == "" {
		return err
	}
	proof.TwoFactor = true
	gate := p.sessions.Gate(p.writePageError)
	return gate.OnceAs(w, r, user.ID, func(w http.ResponseWriter, r *http.Request, once websession.Visit) error {
		if user.TwoFactor { // who has one proves that: another one is no way around it
			redirect(w, r, v.at(codePath))
			return nil
		}
		return p.enrol(w, r, v, once, websession.SignIn{User: user, ACR: storage.ACRTwoFactors, Proof: proof})
	})
}

func (p secondStep) enrol(w http.ResponseWriter, r *http.Request, v visit, once websession.Visit,
	s websession.SignIn) error {
	form, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.mayHere(r.Context(), s); err != nil {
		return err // before anything is added: it would stay
	}
	codes, err := p.take(r, v, &s, form)
	switch f := fault.From(err); {
	case err == nil:
	case f.Kind == fault.Invalid, f.Kind == fault.TooMany:
		return p.enrolPage(w, r, webpage.Marked(w.Header(), err), v, s.User, form, f)
	case f.Kind == fault.Conflict: // added in another window
		redirect(w, r, v.at(loginPath))
		return nil
	case f.Kind == fault.Gone, f.Kind == fault.NotFound:
		return p.over(w, r, v)
	default:
		return err
	}
	p.forget(w)
	to, err := p.begin(w, r, v, s)
	if err != nil {
		return err
	}
	return once.Show(w, r, templates.Shown{Reveal: &codes}, to)
}

// take adds what the form brings, and notes what that proves.
func (p secondStep) take(r *http.Request, v visit, s *websession.SignIn,
	form url.Values) (templates.RevealPage, error) {
	act := p.act(r.Context(), storage.Actor{Kind: storage.ActorUser, ID: s.User.ID})
	if ofPasskey(form) {
		s.AMR = first(s.Proof, storage.AMRPasswordAndPasskey())
		return p.factors.TakePasskey(r.Context(), act, s.User, s.Proof, p.visitor(r), form, v.goesOn())
	}
	s.AMR = first(s.Proof, storage.AMRTwoFactors())
	return p.factors.TakeOffer(r.Context(), act, s.User, s.Proof, form.Get(fieldOffer), form.Get("code"), v.goesOn())
}
