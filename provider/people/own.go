package people

import (
	"io"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// The pages on which people look after their own account. Nothing in an address
// says whose: it is whoever is signed in.
const (
	ownPasswordPath = "/account/password"
	ownProfilePath  = "/account/profile"
	ownSessionsPath = "/account/sessions"
	endOthersPath   = ownSessionsPath + "/end-others"

	fieldSession = "session"
)

// own is the pages among them that have forms of their own kind.
type own struct{ *Desk }

// OwnRoutes are those pages.
func (d *Desk) OwnRoutes() []httpio.Route {
	o := own{d}
	return []httpio.Route{
		d.gate.Grave(httpio.At(ownPasswordPath), d.showOwnPassword, d.setOwnPassword),
		httpio.At(ownProfilePath).Get(d.gate.Show(d.showOwnProfile)).Post(d.gate.Form(d.editOwnProfile)),
		httpio.At(ownPicturePath).Get(d.gate.Show(o.showOwnPicture)).Post(d.gate.Form(o.setOwnPicture)),
		httpio.At(deletePicturePath).Post(d.gate.Form(o.deleteOwnPicture)).On(ownPicturePath),
		httpio.At(ownLanguagePath).Get(d.gate.Show(o.showOwnLanguage)).Post(d.gate.Form(o.setOwnLanguage)),
		httpio.At(ownSessionsPath).Get(d.gate.Show(d.showSessions)).Post(d.gate.Form(d.endSession)),
		d.gate.Grave(httpio.At(endOthersPath), d.askEndOthers, d.endOthers),
	}
}

// ownDone says what a form did, when the next page is asked with its key.
var ownDone = map[string]texts.Text{
	"profile": texts.Say("own.profile.done"), "password": texts.Say("own.password.done"),
	"ended": texts.Say("own.sessions.ended"), "others": texts.Say("own.sessions.others-ended"),
	"mailed": texts.Say("joining.own.sent"), "no-mail": texts.Say("joining.no-mail"),
	"picture": texts.Say("own.picture.set"), "picture-removed": texts.Say("own.picture.removed"),
	"language": texts.Say("own.language.done"),
}

func ownDesk(r *http.Request) templates.Desk { return webpage.Desk(r, "", ownDone) }

func home() templates.Link { return templates.Link{URL: "/", Text: texts.Say("parts.your-account")} }

func (d *Desk) showOwnPassword(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	form := ownPasswordForm(v.User.Email)
	if err := d.people.judgedHere(r.Context(), v.User); err != nil && !webpage.Mark(&form, err) {
		return err
	}
	return d.ownPasswordPage(w, r, http.StatusOK, form)
}

func ownPasswordForm(account string) templates.Form {
	return templates.Form{
		ID: "password-form", Action: ownPasswordPath, Submit: texts.Say("own.password.submit"),
		Inputs: append([]templates.Input{accountInput(account)}, passwordInputs()...),
	}
}

// accountInput says whose password a form is about, to people and to their
// password managers.
func accountInput(account string) templates.Input {
	return templates.Input{Kind: templates.InputText, Name: "username", Label: texts.Say("own.password.account"),
		Value: account, Complete: "username", Fixed: true, Required: true}
}

func (d *Desk) ownPasswordPage(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	return d.send(w, status, func(out io.Writer) error {
		return d.with.Pages.Form(out, templates.FormPage{
			Desk: ownDesk(r), Back: home(), Heading: texts.Say("own.password.title"),
			Lead: texts.Say("own.password.lead"), Form: form,
		})
	})
}

// setOwnPassword ends every other sign-in, and all that apps have.
func (d *Desk) setOwnPassword(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = same(values); err == nil {
		err = d.people.SetPassword(r.Context(), v.Act, v.User, values.Get(FieldPassword), v.ID)
	}
	if err != nil {
		form := ownPasswordForm(v.User.Email)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.ownPasswordPage(w, r, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, ownSessionsPath+"?done=password")
}

func (d *Desk) showSessions(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	sessions, err := d.people.Sessions(r.Context(), v.UserID)
	if err != nil {
		return err
	}
	view := templates.SessionsPage{Desk: ownDesk(r), Back: home(), EndAction: ownSessionsPath}
	for _, s := range sessions {
		row := templates.SessionRow{Device: device(s.UserAgent), Address: s.Address, Since: s.CreatedAt,
			LastSeen: s.LastSeenAt, ID: s.ID, Here: s.ID == v.ID}
		view.Sessions = append(view.Sessions, row)
		if !row.Here {
			view.OthersURL = endOthersPath
		}
	}
	return d.send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Sessions(out, view) })
}

func (d *Desk) endSession(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := d.people.EndSession(r.Context(), v.Act, v.UserID, values.Get(fieldSession)); err != nil &&
		!fault.Is(err, fault.NotFound) {
		return err
	}
	return webpage.See(w, r, ownSessionsPath+"?done=ended")
}

func (d *Desk) askEndOthers(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	view := templates.ConfirmPage{
		Desk: ownDesk(r), Back: templates.Link{URL: ownSessionsPath, Text: texts.Say("own.sessions.title")},
		Heading: texts.Say("own.sessions.others-ask"),
		Stops:   []texts.Text{texts.Say("own.sessions.others-stops"), texts.Say("own.sessions.others-again")},
		Action:  endOthersPath, Submit: texts.Say("own.sessions.others"), CancelURL: ownSessionsPath,
	}
	return d.send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Confirm(out, view) })
}

func (d *Desk) endOthers(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	if err := d.people.store.EndSessions(r.Context(), v.Act, v.UserID, v.ID); err != nil {
		return err
	}
	return webpage.See(w, r, ownSessionsPath+"?done=others")
}
