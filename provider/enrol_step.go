package provider

import (
	"net/http"

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
	return p.enrolPage(w, r, http.StatusOK, v, user, "", nil)
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
		redirect(w, r, v.at(loginPath))
		return v, storage.User{}, proof, nil
	}
	return v, user, proof, err
}

func (p secondStep) enrolPage(w http.ResponseWriter, r *http.Request, status int, v visit, user storage.User,
	token string, wrong *fault.Error) error {
	offer, err := p.factors.Offer(user, token)
	if err != nil {
		return err
	}
	page := templates.EnrolPage{
		Frame: v.page.Frame, ClientName: v.page.ClientName, Action: v.at(enrolPath), BackURL: v.at(loginPath), Offer: offer,
		ByApp: v.strong && !p.sessions.Demands(user),
	}
	if wrong != nil {
		page.Error = webpage.Detail(wrong)
	}
	return p.page(w, r, status, v.policy(), func() error { return p.pages.Enrol(w, page) })
}

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
		return p.enrol(w, r, v, once, websession.SignIn{
			User: user, ACR: storage.ACRTwoFactors, AMR: first(proof, storage.AMRTwoFactors()), Proof: proof,
		})
	})
}

func (p secondStep) enrol(w http.ResponseWriter, r *http.Request, v visit, once websession.Visit,
	s websession.SignIn) error {
	form, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	act := p.act(r.Context(), storage.Actor{Kind: storage.ActorUser, ID: s.User.ID})
	codes, err := p.factors.TakeOffer(r.Context(), act, s.User, form.Get(fieldOffer), form.Get("code"), v.goesOn())
	switch f := fault.From(err); {
	case err == nil:
	case f.Kind == fault.Invalid, f.Kind == fault.TooMany:
		return p.enrolPage(w, r, webpage.Marked(w.Header(), err), v, s.User, form.Get(fieldOffer), f)
	case f.Kind == fault.Conflict: // added in another window
		redirect(w, r, v.at(loginPath))
		return nil
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
