package people

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// showEdit serves the form that changes a user: every field of the table.
func (d *Desk) showEdit(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User) error {
	return d.editPage(w, r, v, u, http.StatusOK, editForm(u, valuesOf(u)))
}

func (d *Desk) editPage(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User, status int, form templates.Form) error {
	return d.send(w, status, func(out io.Writer) error {
		return d.with.Pages.Form(out, templates.FormPage{
			Desk: desk(r, v, templates.SectionUsers), Back: templates.Link{URL: userPath(u.ID), Text: texts.Own(title(u))},
			Heading: texts.Own("Edit " + title(u)), Form: form,
		})
	})
}

// valuesOf is what the user's fields hold, as their form has it.
func valuesOf(u storage.User) url.Values {
	values := url.Values{}
	for _, value := range Values(u) {
		switch {
		case !value.Boolean:
			values.Set(value.Field, value.Value)
		case value.Value == "true":
			values.Set(value.Field, "on")
		}
	}
	return values
}

func editForm(u storage.User, values url.Values) templates.Form {
	form := templates.Form{ID: "user-form", Action: userPath(u.ID) + "/edit", Submit: texts.Own("Save")}
	for _, f := range fields {
		input := templates.Input{
			Kind: templates.InputText, Name: f.name, Label: texts.Own(label(f.name)), Hint: texts.Own(f.wants), Value: values.Get(f.name),
			Required: f.name == FieldName || f.name == FieldEmail,
		}
		switch {
		case f.flag != nil:
			input.Kind, input.Hint = templates.InputFlag, texts.Own("")
		case f.wants == lines.wants:
			input.Kind = templates.InputLines
		}
		form.Inputs = append(form.Inputs, input)
	}
	return form
}

// label makes words of a field's name.
func label(name string) string {
	words := strings.NewReplacer("_", " ", "address.", "", "email", "e-mail", "ldap", "LDAP", "eidm", "EIDM").Replace(name)
	return strings.ToUpper(words[:1]) + words[1:]
}

func (d *Desk) edit(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if _, err := d.people.Update(r.Context(), v.Act, u.ID, Change{Settings: settingsOf(values)}); err != nil {
		form := editForm(u, values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.editPage(w, r, v, u, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, userPath(u.ID)+"?done=edited")
}

// settingsOf reads the form of editForm. An unchecked box is not sent.
func settingsOf(values url.Values) []Setting {
	var settings []Setting
	for _, f := range fields {
		switch {
		case f.flag == nil:
			settings = append(settings, Setting{f.name, values.Get(f.name)})
		case values.Get(f.name) == "on":
			settings = append(settings, Setting{f.name, "true"})
		default:
			settings = append(settings, Setting{f.name, "false"})
		}
	}
	return settings
}

// askDelete serves the question before a user is deleted, and its answer.
func (d *Desk) askDelete(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User) error {
	view := templates.ConfirmPage{
		Desk: desk(r, v, templates.SectionUsers), Back: templates.Link{URL: userPath(u.ID), Text: texts.Own(title(u))},
		Heading: texts.Own("Delete " + title(u) + "?"),
		Stops: texts.Owns([]string{
			"They can’t sign in any more, and their sign-ins and tokens end within a second.",
			"Apps that they registered go on working. Those that nobody else manages an administrator can hand to somebody.",
			"This can’t be undone. To keep somebody out for now, disable them instead.",
		}),
		Action: userPath(u.ID) + "/delete", Submit: texts.Own("Delete this user"), CancelURL: userPath(u.ID),
	}
	return d.send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Confirm(out, view) })
}

func (d *Desk) delete(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User) error {
	if u.ID == v.UserID {
		return fault.New(fault.Conflict, "yourself", "You can’t delete yourself here: ask another administrator.")
	}
	if err := d.people.Delete(r.Context(), v.Act, u, false); err != nil {
		return err
	}
	return webpage.See(w, r, usersPath+"?done=deleted")
}
