package apps

import (
	"io"
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/picture"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// showLogo serves the form that gives an app a logo.
func (p *Portal) showLogo(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	return p.logoPage(w, r, c, http.StatusOK, logoForm(c))
}

func logoForm(c storage.Client) templates.Form {
	return templates.Form{
		ID: "logo-form", Action: appPath(c.ID) + "/logo", Submit: texts.Say("app.logo-submit"),
		Inputs: []templates.Input{{
			Kind: templates.InputFile, Name: FieldLogoFile, Label: texts.Say("app.logo-picture"), Required: true,
			Accept: "image/png,image/jpeg",
			Hint:   texts.Say("app.logo-hint"),
		}},
	}
}

func (p *Portal) logoPage(w http.ResponseWriter, r *http.Request, c storage.Client, status int,
	form templates.Form) error {
	return p.with.Web.Send(w, status, func(out io.Writer) error {
		return p.with.Pages.Form(out, templates.FormPage{
			Desk: desk(r), Back: backToApp(c), Heading: texts.Say("app.logo-of", "App", c.Name),
			Lead: texts.Say("app.logo-lead"), Form: form,
		})
	})
}

func (p *Portal) setLogo(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	file, err := httpio.ReadUpload(w, r, FieldLogoFile, maxLogoFile)
	if fault.Is(err, fault.TooLarge) {
		err = fault.New(fault.Invalid, picture.Reason, "The file is larger than 256 kB.").At(FieldLogoFile)
	}
	if err == nil {
		err = p.apps.SetLogo(r.Context(), v.Act, c.ID, file)
	}
	if err != nil {
		form := logoForm(c)
		if fault.From(err).Reason != picture.Reason || !webpage.Mark(&form, err) {
			return err
		}
		return p.logoPage(w, r, c, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, appPath(c.ID)+"?done=logo-set")
}

// deleteLogo serves the button that takes the logo away.
func (p *Portal) deleteLogo(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	if err := p.apps.DeleteLogo(r.Context(), v.Act, c.ID); err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return webpage.See(w, r, appPath(c.ID)+"?done=logo-deleted")
}

// picture serves the logo with the name, to everybody: the name is its hash, so
// that only who has seen it can ask for it. It is a picture of our making, and
// a browser that opens it by itself runs nothing (PORTAL-13).
func (p *Portal) picture(w http.ResponseWriter, r *http.Request) error {
	name, err := httpio.PathID(r, logoVariable)
	if err != nil {
		return err
	}
	hash, isPNG := strings.CutSuffix(name, ".png")
	picture, err := p.apps.store.FindLogo(r.Context(), hash)
	if !isPNG || fault.Is(err, fault.NotFound) {
		return fault.New(fault.NotFound, "logo_not_found", "There is no such picture.")
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Content-Security-Policy", templates.PolicyPicture)
	h.Set("Cache-Control", templates.AssetCacheControl)
	_, _ = w.Write(picture)
	return nil
}
