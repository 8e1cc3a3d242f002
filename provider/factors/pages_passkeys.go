package factors

import (
	"io"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

func (p *Pages) showPasskey(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	return p.passkeyPage(w, r, v, http.StatusOK, passkeyForm(passkeyPath, ""))
}

// PasskeyForm is what gives a first passkey its name as somebody signs in, and sends it.
func (f *Factors) PasskeyForm(action string, typed url.Values) templates.Form {
	return passkeyForm(action, typed.Get(FieldLabel))
}

func passkeyForm(action, label string) templates.Form {
	return templates.Form{
		ID: "passkey-form", Action: action, Submit: texts.Say("security.passkey-add"),
		Inputs: []templates.Input{
			{Kind: templates.InputText, Name: FieldLabel, Label: texts.Say("security.passkey-label"),
				Hint: texts.Say("security.passkey-label-hint"), Value: label, Required: true, Max: maxLabel},
		},
	}
}

func (p *Pages) passkeyPage(w http.ResponseWriter, r *http.Request, v websession.Visit, status int,
	form templates.Form) error {
	if !p.factors.keeps {
		return webpage.See(w, r, securityPath)
	}
	ask, err := p.factors.AskForNew(r.Context(), v.User, v.ID)
	if err != nil {
		return err
	}
	page := templates.PasskeyPage{Desk: desk(r), Back: back(), Form: form, Ask: ask}
	return p.with.Web.Send(w, status, func(out io.Writer) error { return p.with.Pages.Passkey(out, page) })
}

func (p *Pages) addPasskey(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	codes, err := p.factors.EnrolPasskey(r.Context(), v.Act, v.User, v.LoginSession, values.Get(FieldLabel),
		values.Get(FieldPasskey))
	if err != nil {
		form := passkeyForm(passkeyPath, values.Get(FieldLabel))
		if !webpage.Mark(&form, err) {
			return err
		}
		return p.passkeyPage(w, r, v, webpage.Marked(w.Header(), err), form)
	}
	return added(w, r, v, texts.Say("security.passkey-added"), "passkey-added", codes)
}

// ofPasskey lets a page at the visitor's own passkey that the path names.
func (p *Pages) ofPasskey(page func(w http.ResponseWriter, r *http.Request, v websession.Visit,
	k storage.Passkey) error) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		id, err := httpio.PathID(r, passkeyVariable)
		if err != nil {
			return err
		}
		has, err := p.factors.Find(r.Context(), v.UserID)
		if err != nil {
			return err
		}
		for _, k := range has.Passkeys {
			if k.ID == id {
				return page(w, r, v, k)
			}
		}
		return errNone
	}
}

func (p *Pages) askRemovePasskey(w http.ResponseWriter, r *http.Request, _ websession.Visit, k storage.Passkey) error {
	return p.ask(w, r, texts.Say("security.passkey-remove-ask", "Name", k.Label),
		texts.Say("security.passkey-remove"), passkeyPath+"/"+k.ID,
		texts.Say("security.passkey-remove-stops"), texts.Say("security.remove-last"), texts.Say("security.remove-ends"))
}

func (p *Pages) removePasskey(w http.ResponseWriter, r *http.Request, v websession.Visit, k storage.Passkey) error {
	if err := p.factors.RemovePasskey(r.Context(), v.Act, v.User, k, v.ID); err != nil {
		return err
	}
	return webpage.See(w, r, securityPath+"?done=passkey-removed")
}
