package people

import (
	"io"
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

const (
	changeAddressPath = "/account/address"
	invitePath        = "/account/invite"
)

// showAddress serves the page that a link for a change of address leads to.
func (d *Desk) showAddress(w http.ResponseWriter, r *http.Request, token string, act storage.Act) error {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	switch query.Get("sent") {
	case "1":
		return d.sentPage(w, r, templates.CardPage{Heading: texts.Say("joining.address.half-title"),
			Lead: texts.Say("joining.address.half")})
	case "2":
		return d.sentPage(w, r, templates.CardPage{Heading: texts.Say("joining.address.done-title"),
			Lead: texts.Say("joining.address.done")})
	}
	link, _, err := d.people.AddressLink(r.Context(), token, act)
	if err != nil {
		return over(err, "address_link_over")
	}
	return d.card(w, r, http.StatusOK, templates.CardPage{
		Heading: texts.Say("joining.address.title"), Lead: texts.Say("joining.address.lead", "Email", link.Email),
		Form: templates.Form{ID: "address-form", Action: linkAction(addressPath, token),
			Submit: texts.Say("joining.address.submit")},
	})
}

func (d *Desk) confirmAddress(w http.ResponseWriter, r *http.Request, token string, act storage.Act) error {
	done, err := d.people.ConfirmAddress(r.Context(), act, token)
	if err != nil {
		return over(err, "address_link_over")
	}
	if !done {
		return webpage.See(w, r, addressPath+"?sent=1")
	}
	return webpage.See(w, r, addressPath+"?sent=2")
}

// own is a page of a signed-in person with a form that has a mail sent.
func (d *Desk) own(w http.ResponseWriter, r *http.Request, status int, heading, lead texts.Text,
	form templates.Form) error {
	view := templates.FormPage{Desk: ownDesk(r), Back: home(), Heading: heading, Lead: lead, Form: form}
	return d.send(w, status, func(out io.Writer) error { return d.with.Pages.Form(out, view) })
}

func changeAddressForm(values url.Values) templates.Form {
	return templates.Form{
		ID: "change-address-form", Action: changeAddressPath, Submit: texts.Say("joining.change.submit"),
		Inputs: addressInputs(values),
	}
}

func (d *Desk) changeAddressPage(w http.ResponseWriter, r *http.Request, v websession.Visit, status int,
	form templates.Form) error {
	lead := texts.Say("joining.change.lead", "Email", v.User.Email)
	if !v.User.EmailVerified { // as AskAddress sends the links
		lead = texts.Say("joining.change.lead-new", "Email", v.User.Email)
	}
	lead, err := d.people.fixOwned(r.Context(), &form, v.UserID, lead)
	if err != nil {
		return err
	}
	return d.own(w, r, status, texts.Say("joining.change.title"), lead, form)
}

func (d *Desk) showChangeAddress(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	return d.changeAddressPage(w, r, v, http.StatusOK, changeAddressForm(url.Values{}))
}

// changeAddress is for who signed in a moment ago: whoever finds an open browser
// must not take the account with them. It asks for no password itself, which could be
// guessed here beside the tries that signing in counts.
func (d *Desk) changeAddress(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = d.count(r, v.Act); err == nil {
		err = d.people.AskAddress(r.Context(), v.Act, v.User, values.Get(FieldEmail))
	}
	if err != nil {
		form := changeAddressForm(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.changeAddressPage(w, r, v, webpage.Marked(w.Header(), err), form)
	}
	done := "mailed"
	if !d.people.Delivers() {
		done = "no-mail"
	}
	return webpage.See(w, r, changeAddressPath+"?done="+done)
}

func inviteForm(values url.Values) templates.Form {
	return templates.Form{ID: "invite-form", Action: invitePath, Submit: texts.Say("joining.invite.submit"),
		Inputs: addressInputs(values)}
}

func (d *Desk) invitePage(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	return d.own(w, r, status, texts.Say("joining.invite.title"), texts.Say("joining.invite.lead"), form)
}

func (d *Desk) showInvite(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	if err := d.people.CheckInvites(); err != nil {
		return err
	}
	return d.invitePage(w, r, http.StatusOK, inviteForm(url.Values{}))
}

func (d *Desk) invite(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = d.count(r, v.Act); err == nil {
		err = d.people.InviteAs(r.Context(), v.Act, v.User, values.Get(FieldEmail))
	}
	if err != nil {
		form := inviteForm(values)
		if fault.HasReason(err, ReasonSignUpClosed) || !webpage.Mark(&form, err) {
			return err
		}
		return d.invitePage(w, r, webpage.Marked(w.Header(), err), form)
	}
	return webpage.See(w, r, invitePath+"?done=mailed")
}
