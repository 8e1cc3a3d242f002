package apps

import (
	"io"
	"net/http"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// revealSecret answers a form with the secret that it made: the one time that
// it can be seen.
func (p *Portal) revealSecret(w http.ResponseWriter, r *http.Request, v websession.Visit, created Created, heading string) error {
	page := templates.RevealPage{
		Desk: desk(r, v), Heading: heading,
		Lead: "Copy the secret now: it is kept only as a hash, and this page is the only one that shows it.",
		Items: []templates.Revealed{
			{ID: "client-id", Label: "Client ID", Value: created.Client.ID},
			{ID: "client-secret", Label: "Client secret", Value: created.Secret},
		},
		Next: templates.Link{URL: appPath(created.Client.ID), Text: "I have copied it"},
	}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Reveal(out, page) })
}

// AddSecret serves the button that makes a further secret.
func (p *Portal) AddSecret() http.Handler {
	return p.gate.Form(p.ofApp(func(w http.ResponseWriter, r *http.Request, v websession.Visit, client storage.Client) error {
		created, err := p.apps.RotateSecret(r.Context(), v.Act, client.ID, false)
		if err != nil {
			return err
		}
		return p.revealSecret(w, r, v, created, "A new secret for "+client.Name)
	}))
}

// DeleteSecret serves the question before a secret is deleted, and its answer.
func (p *Portal) DeleteSecret() (get, post http.Handler) {
	return p.gate.Show(p.ofApp(p.askDeleteSecret)), p.gate.Form(p.ofApp(p.deleteSecret))
}

func (p *Portal) askDeleteSecret(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	id, err := httpio.PathID(r, secretVariable)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(c.Secrets, func(s storage.ClientSecret) bool { return s.ID == id }) {
		return fault.New(fault.NotFound, "secret_not_found", "The app has no such secret.")
	}
	page := templates.ConfirmPage{
		Desk: desk(r, v), Back: backToApp(c), Heading: "Delete the secret " + id + "?",
		Stops:  []string{"Servers that still use this secret can’t get tokens any more. The other secret goes on working."},
		Action: appPath(c.ID) + "/secrets/" + id + "/delete", Submit: "Delete the secret", CancelURL: appPath(c.ID),
	}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Confirm(out, page) })
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
