package people

import (
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// showEdit serves the form that changes a user: every field of the table.
func (d *Desk) showEdit(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User) error {
	return d.editPage(w, r, u, http.StatusOK, editForm(u, valuesOf(u)))
}

func (d *Desk) editPage(w http.ResponseWriter, r *http.Request, u storage.User, status int, form templates.Form) error {
	lead, err := d.people.fixOwned(r.Context(), &form, u.ID, texts.Text{})
	if err != nil {
		return err
	}
	return d.send(w, status, func(out io.Writer) error {
		return d.with.Pages.Form(out, templates.FormPage{
			Desk: desk(r, templates.SectionUsers), Back: templates.Link{URL: userPath(u.ID), Text: texts.Own(u.Title())},
			Heading: texts.Say("parts.edit-named", "Name", u.Title()), Lead: lead, Form: form,
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
	return formOf(userPath(u.ID)+"/edit", values, fieldNames()...)
}

// fieldNames are those of every field.
func fieldNames() []string {
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	return names
}

// formOf is a form of the fields.
func formOf(action string, values url.Values, names ...string) templates.Form {
	form := templates.Form{ID: "user-form", Action: action, Submit: texts.Say("parts.save"), Edits: true,
		Seen: values.Get(templates.FieldSeen)}
	for _, f := range fields {
		if !slices.Contains(names, f.name) {
			continue
		}
		input := templates.Input{
			Kind: templates.InputText, Name: f.name, Label: labels[f.name], Hint: f.hint, Value: values.Get(f.name),
			Required: f.name == FieldName || f.name == FieldEmail,
		}
		switch {
		case f.flag != nil:
			input.Kind, input.Hint = templates.InputFlag, texts.Text{}
		case f.wants == lines.wants:
			input.Kind = templates.InputLines
		}
		form.Inputs = append(form.Inputs, input)
	}
	return form
}

func (d *Desk) edit(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = webpage.Meet(values, editForm(u, valuesOf(u))); err == nil {
		_, err = d.people.Update(r.Context(), v.Act, u.ID, Change{Settings: settingsOf(values)})
	}
	if err != nil {
		form := editForm(u, values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.editPage(w, r, u, http.StatusUnprocessableEntity, form)
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
