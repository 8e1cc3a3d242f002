package people

import (
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// notOwn are the fields that people don't change themselves: who they are to
// others here, and what somebody has to prove or a directory says.
var notOwn = []string{
	FieldEmail, FieldEmailVerified, FieldUsername, "phone_number_verified", "ldap_domain", "eidm_guid",
	fieldLocale, fieldZone, // which have a page of their own
}

// mostOwn are the fields that most people fill in. The others are folded.
var mostOwn = []string{FieldName, "given_name", "family_name", "phone_number", "job_title", "company"}

// ownFields are the fields that people change themselves.
func ownFields() []string {
	var names []string
	for _, f := range fields {
		if !slices.Contains(notOwn, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

func (d *Desk) showOwnProfile(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	return d.ownProfilePage(w, r, v, http.StatusOK, ownProfileForm(valuesOf(v.User)))
}

func ownProfileForm(values url.Values) templates.Form {
	form := formOf(ownProfilePath, values, ownFields()...)
	form.ID, form.More = "profile-form", texts.Say("own.profile.more")
	for i := range form.Inputs {
		form.Inputs[i].More = !slices.Contains(mostOwn, form.Inputs[i].Name)
	}
	return form
}

func (d *Desk) ownProfilePage(w http.ResponseWriter, r *http.Request, v websession.Visit, status int,
	form templates.Form) error {
	lead, err := d.people.fixOwned(r.Context(), &form, v.UserID, texts.Say("own.profile.lead"))
	if err != nil {
		return err
	}
	return d.send(w, status, func(out io.Writer) error {
		return d.with.Pages.Form(out, templates.FormPage{
			Desk: ownDesk(r), Back: home(), Heading: texts.Say("own.profile.title"),
			Lead: lead, Form: form,
		})
	})
}

func (d *Desk) editOwnProfile(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	err = webpage.Meet(values, ownProfileForm(valuesOf(v.User)))
	settings := slices.DeleteFunc(settingsOf(values), func(s Setting) bool { return slices.Contains(notOwn, s.Field) })
	if err == nil {
		_, err = d.people.Update(r.Context(), v.Act, v.UserID, Change{Settings: settings})
	}
	if err != nil {
		form := ownProfileForm(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.ownProfilePage(w, r, v, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, ownProfilePath+"?done=profile")
}
