package people

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/acts"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// The pages of one-time links are for people who are not signed in: whoever has
// the link is let in. Opening a page spends nothing, because mail programs open
// links too; sending its form does.

// linkForm is a handler for a page of a one-time link; token is what came with
// the address.
type linkForm func(w http.ResponseWriter, r *http.Request, token string, act storage.Act) error

func (d *Desk) open(page linkForm) httpio.Endpoint {
	return httpio.Open(d.with.Web.Error, d.byLink(page))
}

func (d *Desk) submit(page linkForm) httpio.Endpoint { return d.gate.Open(d.byLink(page)) }

func (d *Desk) byLink(page linkForm) httpio.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		query, err := httpio.ReadQuery(r)
		if err != nil {
			return err
		}
		return page(w, r, query.Get("link"), acts.Of(r.Context(), d.people.ambient.Now(),
			storage.Actor{Kind: storage.ActorSystem}))
	}
}

func (d *Desk) card(w http.ResponseWriter, r *http.Request, status int, page templates.CardPage) error {
	page.Frame = webpage.Frame(r)
	return d.send(w, status, func(out io.Writer) error { return d.with.Pages.Card(out, page) })
}

func passwordInputs() []templates.Input {
	return []templates.Input{
		{Kind: templates.InputPassword, Name: FieldPassword, Label: texts.Say("own.password.label"), Required: true,
			Max: 1024, Complete: "new-password", Hint: texts.Say("own.password.hint")},
		{Kind: templates.InputPassword, Name: fieldAgain, Label: texts.Say("own.password.again"), Required: true,
			Max: 1024, Complete: "new-password"},
	}
}

const fieldAgain = "again"

// same is Invalid unless the password was typed twice alike.
func same(values url.Values) error {
	if values.Get(FieldPassword) == values.Get(fieldAgain) {
		return nil
	}
	return fault.New(fault.Invalid, ReasonField, "The two passwords are not the same.").At(fieldAgain)
}

// showPassword serves the page on which somebody chooses a password by a one-time
// link.
func (d *Desk) showPassword(w http.ResponseWriter, r *http.Request, token string, act storage.Act) error {
	return d.passwordPage(w, r, http.StatusOK, token, act, func(user storage.User) (url.Values, error) {
		return url.Values{FieldName: {user.Profile.Name}}, nil
	})
}

// passwordPage is the page for the link, with what was typed and what is wrong
// with it. Newcomers choose a name as well.
func (d *Desk) passwordPage(w http.ResponseWriter, r *http.Request, status int, token string, act storage.Act,
	typed func(storage.User) (url.Values, error)) error {
	user, err := d.people.PasswordLinkUser(r.Context(), token, act.At)
	if err != nil {
		return over(err, "password_link_over")
	}
	newcomer, err := d.people.IsNewcomer(r.Context(), user)
	if err != nil {
		return err
	}
	values, wrong := typed(user)
	if wrong == nil {
		wrong = d.people.judgedHere(r.Context(), user)
	}
	page := templates.CardPage{
		Heading: texts.Say("own.password.choose"), Lead: texts.Say("own.password.for", "Email", user.Email),
		Form: templates.Form{ID: "password-form", Action: linkAction(passwordPath, token),
			Submit: texts.Say("own.password.submit"),
			Inputs: append([]templates.Input{accountInput(user.Email)}, passwordInputs()...)},
	}
	if newcomer {
		page.Heading, page.Form.Submit = texts.Say("joining.accept.title"), texts.Say("joining.accept.submit")
		page.Form.Inputs = append([]templates.Input{{
			Kind: templates.InputText, Name: FieldName, Label: texts.Say("joining.name"), Value: values.Get(FieldName),
			Required: true, Max: maxLine, Complete: "name",
		}}, page.Form.Inputs...)
	}
	if wrong != nil && !webpage.Mark(&page.Form, wrong) {
		return wrong
	}
	return d.card(w, r, status, page)
}

func (d *Desk) setPassword(w http.ResponseWriter, r *http.Request, token string, act storage.Act) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = same(values); err == nil {
		err = d.takeUp(r, act, token, values)
	}
	if err != nil {
		return d.passwordPage(w, r, http.StatusUnprocessableEntity, token, act,
			func(storage.User) (url.Values, error) { return values, err })
	}
	return webpage.See(w, r, "/login?done=password-set")
}

// takeUp sets the password, and the name where there is a field for it.
func (d *Desk) takeUp(r *http.Request, act storage.Act, token string, values url.Values) (err error) {
	if values.Has(FieldName) {
		_, err = d.people.Accept(r.Context(), act, token, values.Get(FieldName), values.Get(FieldPassword))
		return err
	}
	_, err = d.people.SetPasswordByLink(r.Context(), act, token, values.Get(FieldPassword))
	return err
}

// showSetUp serves the page that makes the first administrator.
func (d *Desk) showSetUp(w http.ResponseWriter, r *http.Request, token string, act storage.Act) error {
	if err := d.people.CheckSetUpLink(r.Context(), token, act.At); err != nil {
		return over(err, "set_up_over")
	}
	return d.setUpPage(w, r, http.StatusOK, setUpForm(token, url.Values{}))
}

func setUpForm(token string, values url.Values) templates.Form {
	return templates.Form{ID: "setup-form", Action: linkAction(setUpPath, token),
		Submit: texts.Say("joining.set-up.submit"),
		Inputs: append(identityInputs(values)[:2], passwordInputs()...)}
}

func (d *Desk) setUpPage(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	return d.card(w, r, status, templates.CardPage{
		Heading: texts.Say("joining.set-up.title"), Lead: texts.Say("joining.set-up.lead"), Form: form,
	})
}

func (d *Desk) setUp(w http.ResponseWriter, r *http.Request, token string, act storage.Act) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	newcomer := Newcomer{
		Email: strings.TrimSpace(values.Get(FieldEmail)), EmailVerified: true, Name: values.Get(FieldName),
		Password: values.Get(FieldPassword),
	}
	if err = same(values); err != nil {
		_, _, more := d.people.prepare(r.Context(), act, newcomer) // what else is wrong is said at once
		var faults fault.List
		faults.Add(more)
		faults.Add(err)
		err = faults.Err()
	} else {
		_, err = d.people.SetUp(r.Context(), act, token, newcomer)
	}
	if err != nil {
		form := setUpForm(token, values)
		if !webpage.Mark(&form, err) {
			return over(err, "set_up_over")
		}
		return d.setUpPage(w, r, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, "/login?then=%2Fadmin%2Fusers&done=set-up")
}

// over gives a link that is over a reason by which the page says how to come to another: nobody
// has to be asked for a new password or address, and before there is an administrator nobody can be.
func over(err error, reason string) error {
	if fault.HasReason(err, ReasonLinkOver) {
		return fault.From(err).Retold(fault.Gone, reason)
	}
	return err
}
