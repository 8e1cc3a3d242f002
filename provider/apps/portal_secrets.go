package apps

import (
	"cmp"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// revealSecret answers a form with the secret that it made, which is shown once.
func (p *Portal) revealSecret(w http.ResponseWriter, r *http.Request, v websession.Visit, created Created,
	heading texts.Text, next string) error {
	page := templates.RevealPage{
		Desk: templates.Desk{Section: templates.SectionApps}, Heading: heading,
		Lead: texts.Say("app.secret-copy"),
		Items: []templates.Revealed{
			{ID: "client-id", Label: texts.Say("parts.client-id"), Value: created.Client.ID},
			{ID: "client-secret", Label: texts.Say("app.secret"), Value: created.Secret},
		},
		Next: templates.Link{URL: appPath(created.Client.ID) + next, Text: texts.Say("parts.copied")},
	}
	return v.Show(w, r, templates.Shown{Reveal: &page}, page.Next.URL)
}

// revealKey answers the form that registers an app with the key that was made for it.
func (p *Portal) revealKey(w http.ResponseWriter, r *http.Request, v websession.Visit,
	created Created, next string) error {
	page := templates.RevealPage{
		Desk: templates.Desk{Section: templates.SectionApps}, Heading: texts.Say("app.secret-registered"),
		Lead: texts.Say("machines.key-copy"),
		Items: []templates.Revealed{
			{ID: "client-id", Label: texts.Say("parts.client-id"), Value: created.Client.ID},
			{ID: "private-key", Label: texts.Say("machines.key-private"), Value: created.PrivateKey, Lines: true,
				FileName: created.Client.ID + ".jwk.json"},
		},
		Next: templates.Link{URL: appPath(created.Client.ID) + next, Text: texts.Say("parts.kept")},
	}
	return v.Show(w, r, templates.Shown{Reveal: &page}, page.Next.URL)
}

// showAddSecret serves the form that makes a further secret. When there is no room
// for one it asks which of those that work is to end.
func (p *Portal) showAddSecret(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	return p.secretPage(w, r, http.StatusOK, c, p.secretForm(c, url.Values{}))
}

func (p *Portal) addSecret(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	wanted := NewSecret{Ends: values[fieldEnds]}
	wanted.Term, err = webpage.ReadTerm(r, ReasonField, values)
	var created Created
	if err == nil {
		created, err = p.apps.RotateSecret(r.Context(), v.Act, c.ID, wanted)
	}
	if err != nil {
		return p.secretRefused(w, r, c.ID, values, err)
	}
	return p.revealSecret(w, r, v, created, texts.Say("app.secret-new-for", "App", c.Name), "")
}

// secretRefused shows the form with what was typed, and the secrets of this moment.
func (p *Portal) secretRefused(w http.ResponseWriter, r *http.Request, clientID string, values url.Values,
	refusal error) error {
	c, err := p.apps.Find(r.Context(), clientID)
	if err != nil {
		return err
	}
	if fault.HasReason(refusal, storage.ReasonSecretsFull) {
		refusal = fault.From(refusal).At(fieldEnds)
	}
	form := p.secretForm(c, values)
	if !webpage.Mark(&form, refusal) {
		return refusal
	}
	return p.secretPage(w, r, http.StatusUnprocessableEntity, c, form)
}

func (p *Portal) secretPage(w http.ResponseWriter, r *http.Request, status int, c storage.Client,
	form templates.Form) error {
	page := templates.FormPage{
		Desk: desk(r), Back: backToApp(c), Heading: texts.Say("app.secret-new-for", "App", c.Name), Form: form,
		Lead: texts.Say("app.secret-at-most"),
	}
	return p.with.Web.Send(w, status, func(out io.Writer) error { return p.with.Pages.Form(out, page) })
}

// fieldEnds is the field of the secret that ends.
const fieldEnds = "ends"

// secretForm makes a secret. It asks which one ends if there is no room.
func (p *Portal) secretForm(c storage.Client, values url.Values) templates.Form {
	form := templates.Form{ID: "secret-form", Action: secretsPath(c), Submit: texts.Say("app.secret-make")}
	form.Inputs = webpage.TermInputs(values)
	live := c.LiveSecrets(p.with.Ambient.Now())
	if len(live) < storage.MaxClientSecrets {
		return form
	}
	ends := templates.Input{Kind: templates.InputChoice, Name: fieldEnds,
		Label: texts.Say("app.secret-ends"), Required: true,
		Hint: texts.Say("app.secret-ends-hint")}
	for _, s := range live {
		ends.Options = append(ends.Options, templates.Option{
			Value: s.ID, Label: texts.Own(cmp.Or(s.Label, s.ID)), Chosen: values.Get(fieldEnds) == s.ID,
			Hint: texts.Say("app.secret-of", "Created", s.CreatedAt, "Used", s.LastUsedAt),
		})
	}
	form.Inputs, form.Grave = append(form.Inputs, ends), true
	return form
}

func secretsPath(c storage.Client) string { return appPath(c.ID) + "/secrets" }

func (p *Portal) askDeleteSecret(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	id, err := httpio.PathID(r, secretVariable)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(c.Secrets, func(s storage.ClientSecret) bool { return s.ID == id })
	if i < 0 {
		return fault.New(fault.NotFound, "secret_not_found", "The app has no such secret.")
	}
	name := id
	if label := c.Secrets[i].Label; label != "" {
		name = label + " (" + id + ")"
	}
	return p.ask(w, r, c, templates.ConfirmPage{
		Heading: texts.Say("app.secret-delete-which", "Secret", name), Submit: texts.Say("app.secret-delete"),
		Stops:  []texts.Text{texts.Say("app.secret-delete-stops")},
		Action: appPath(c.ID) + "/secrets/" + id + "/delete",
	})
}

func (p *Portal) deleteSecret(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	id, err := httpio.PathID(r, secretVariable)
	if err != nil {
		return err
	}
	if err := p.apps.DeleteSecret(r.Context(), v.Act, c, id); err != nil {
		return err
	}
	return webpage.See(w, r, appPath(c.ID)+"?done=secret-deleted#secrets")
}
