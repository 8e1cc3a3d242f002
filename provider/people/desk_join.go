package people

import (
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// The pages of people who are not signed in and have a mail sent. Their answers
// are the same whoever has the address.

// JoinRoutes are the pages on which people make an account, and get back into the
// one they have.
func (d *Desk) JoinRoutes() []httpio.Route {
	return []httpio.Route{
		httpio.At(signUpPath).Get(d.open(d.showSignUp)).Post(d.submit(d.signUp)),
		httpio.At(forgottenPath).Get(d.open(d.showForgotten)).Post(d.submit(d.forgotten)),
		httpio.At(addressPath).Get(d.open(d.showAddress)).Post(d.submit(d.confirmAddress)),
		d.gate.Grave(httpio.At(changeAddressPath), d.showChangeAddress, d.changeAddress),
		httpio.At(invitePath).Get(d.gate.Show(d.showInvite)).Post(d.gate.Form(d.invite)),
	}
}

// asking is a page that asks for an address and has a mail sent to it.
type asking struct {
	path   string
	page   templates.CardPage
	sent   templates.CardPage
	submit func(r *http.Request, act storage.Act, address string) error
}

func (d *Desk) asksForgotten() asking {
	return asking{
		path: forgottenPath,
		page: templates.CardPage{
			Heading: texts.Say("joining.forgotten.title"), Lead: texts.Say("joining.forgotten.lead"),
			Form: templates.Form{ID: "forgotten-form", Submit: texts.Say("joining.forgotten.submit")},
		},
		sent: templates.CardPage{Heading: texts.Say("joining.sent.title"), Lead: texts.Say("joining.forgotten.sent")},
		submit: func(r *http.Request, act storage.Act, address string) error {
			return d.people.AskRecovery(r.Context(), act, address)
		},
	}
}

func (d *Desk) asksSignUp() asking {
	return asking{
		path: signUpPath,
		page: templates.CardPage{
			Heading: texts.Say("joining.sign-up.title"), Lead: texts.Say("joining.sign-up.lead"),
			Form: templates.Form{ID: "sign-up-form", Submit: texts.Say("joining.sign-up.submit")},
		},
		sent: templates.CardPage{Heading: texts.Say("joining.sent.title"), Lead: texts.Say("joining.sign-up.sent")},
		submit: func(r *http.Request, act storage.Act, address string) error {
			return d.people.AskSignUp(r.Context(), act, address)
		},
	}
}

func (d *Desk) showForgotten(w http.ResponseWriter, r *http.Request, _ string, _ storage.Act) error {
	return d.showAsking(w, r, d.asksForgotten())
}

func (d *Desk) forgotten(w http.ResponseWriter, r *http.Request, _ string, act storage.Act) error {
	return d.asked(w, r, act, d.asksForgotten())
}

func (d *Desk) showSignUp(w http.ResponseWriter, r *http.Request, _ string, _ storage.Act) error {
	if !d.people.SignUpOpen() {
		return fault.New(fault.Forbidden, ReasonSignUpClosed, "Nobody can sign up here: an administrator adds people.")
	}
	return d.showAsking(w, r, d.asksSignUp())
}

func (d *Desk) signUp(w http.ResponseWriter, r *http.Request, _ string, act storage.Act) error {
	return d.asked(w, r, act, d.asksSignUp())
}

func (d *Desk) showAsking(w http.ResponseWriter, r *http.Request, a asking) error {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	if query.Get("sent") == "1" {
		return d.sentPage(w, r, a.sent)
	}
	a.page.Form.Inputs = addressInputs(url.Values{})
	return d.askingPage(w, r, http.StatusOK, a)
}

func (d *Desk) askingPage(w http.ResponseWriter, r *http.Request, status int, a asking) error {
	a.page.Form.Action = a.path
	a.page.Notice = d.noMail()
	a.page.Links = []templates.Link{{URL: "/login", Text: texts.Say("joining.to-sign-in")}}
	return d.card(w, r, status, a.page)
}

// sentPage says that a mail is on its way; where that reaches nobody, it says so.
func (d *Desk) sentPage(w http.ResponseWriter, r *http.Request, page templates.CardPage) error {
	page.Notice = d.noMail()
	page.Links = []templates.Link{{URL: "/login", Text: texts.Say("joining.to-sign-in")}}
	return d.card(w, r, http.StatusOK, page)
}

func (d *Desk) noMail() texts.Text {
	if d.people.Delivers() {
		return texts.Text{}
	}
	return texts.Say("joining.no-mail")
}

func addressInputs(values url.Values) []templates.Input {
	return []templates.Input{{
		Kind: templates.InputEmail, Name: FieldEmail, Label: texts.Say("joining.email"), Value: values.Get(FieldEmail),
		Required: true, Max: maxAddress, Complete: "email",
	}}
}

// asked has the mail sent. What follows is the same page whoever has the address.
func (d *Desk) asked(w http.ResponseWriter, r *http.Request, act storage.Act, a asking) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = d.count(r, act); err == nil {
		err = a.submit(r, act, values.Get(FieldEmail))
	}
	if err != nil {
		a.page.Form.Inputs = addressInputs(values)
		if fault.HasReason(err, ReasonSignUpClosed) || !webpage.Mark(&a.page.Form, err) {
			return err
		}
		return d.askingPage(w, r, webpage.Marked(w.Header(), err), a)
	}
	return webpage.See(w, r, a.path+"?sent=1")
}

// count counts a form against the limit of the network that it came from.
func (d *Desk) count(r *http.Request, act storage.Act) error {
	_, err := d.with.Limits.Allow(r.Context(), ratelimit.Accounts, ratelimit.Key("", act.Address))
	return err
}
