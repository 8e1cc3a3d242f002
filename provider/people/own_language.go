package people

import (
	"io"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const (
	ownLanguagePath = "/account/language"

	fieldLocale = "locale"
	fieldZone   = "zoneinfo"
)

func (d own) showOwnLanguage(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	return d.ownLanguagePage(w, r, http.StatusOK, d.languageForm(valuesOf(v.User)))
}

// languageForm offers the languages that are spoken here. An account may have a
// finer one, such as de-AT, which is that of the list.
func (d own) languageForm(values url.Values) templates.Form {
	chosen := d.with.Pages.Spoken(values.Get(fieldLocale))
	options := []templates.Option{{Label: texts.Say("own.language.as-browser"), Chosen: chosen == ""}}
	for _, l := range d.with.Pages.Languages() {
		options = append(options, templates.Option{Value: l.Tag, Label: texts.Own(l.Name), Language: l.Tag,
			Chosen: l.Tag == chosen})
	}
	form := formOf(ownLanguagePath, values, fieldZone)
	form.ID = "language-form"
	form.Inputs = append([]templates.Input{{
		Kind: templates.InputChoice, Name: fieldLocale, Label: texts.Say("own.language.label"), Options: options,
	}}, form.Inputs...)
	return form
}

func (d own) ownLanguagePage(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	return d.send(w, status, func(out io.Writer) error {
		return d.with.Pages.Form(out, templates.FormPage{
			Desk: ownDesk(r), Back: home(), Heading: texts.Say("own.language.title"),
			Lead: texts.Say("own.language.lead"), Form: form,
		})
	})
}

func (d own) setOwnLanguage(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	err = webpage.Meet(values, d.languageForm(valuesOf(v.User)))
	settings := []Setting{{fieldZone, values.Get(fieldZone)}}
	if chosen := values.Get(fieldLocale); chosen != d.with.Pages.Spoken(v.User.Profile.Locale) {
		settings = append(settings, Setting{fieldLocale, chosen})
	}
	if err == nil {
		_, err = d.people.Update(r.Context(), v.Act, v.UserID, Change{Settings: settings})
	}
	if err != nil {
		form := d.languageForm(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.ownLanguagePage(w, r, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, ownLanguagePath+"?done=language")
}
