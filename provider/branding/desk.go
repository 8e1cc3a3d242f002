package branding

import (
	"io"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/picture"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// DeskOptions are what a Desk is made of. Every field is needed.
type DeskOptions struct {
	Branding *Branding
	Sessions *websession.Manager
	Pages    *templates.Pages
	Web      *webpage.Writer
}

// Desk is the pages on which administrators say whose server it is, and what of it
// every page loads.
type Desk struct {
	with DeskOptions
	gate *websession.Gate
}

// NewDesk returns the pages.
func NewDesk(o DeskOptions) *Desk {
	return &Desk{with: o, gate: o.Sessions.Gate(o.Web.Error).Administrators()}
}

const (
	brandPath      = "/admin/brand"
	logoPath       = brandPath + "/logo"
	deleteLogoPath = logoPath + "/delete"
)

// Routes are the pages.
func (d *Desk) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At(brandPath).Get(d.gate.Show(d.show)).Post(d.gate.Form(d.set)),
		httpio.At(logoPath).Get(d.gate.Show(d.showLogo)).Post(d.gate.Form(d.setLogo)),
		httpio.At(deleteLogoPath).Post(d.gate.Form(d.deleteLogo)).On(logoPath),
	}
}

// AssetRoutes are for every page.
func (d *Desk) AssetRoutes() []httpio.Route {
	return []httpio.Route{
		httpio.At(styleFolder + "{sheet}").Get(httpio.Open(d.with.Web.Error, d.sheet)),
		httpio.At("/brand-logo/{logo}").Get(httpio.Open(d.with.Web.Error, d.logo)),
	}
}

var done = map[string]texts.Text{
	"brand": texts.Say("brand.done"), "logo": texts.Say("brand.logo-done"),
	"logo-removed": texts.Say("brand.logo-removed"),
}

func desk(r *http.Request) templates.Desk { return webpage.Desk(r, templates.SectionSystem, done) }

func back() templates.Link {
	return templates.Link{URL: "/admin/system", Text: texts.Say("desk.tab.system")}
}

func (d *Desk) show(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	form, err := d.saidForm(r)
	if err != nil {
		return err
	}
	return d.page(w, r, http.StatusOK, form)
}

// saidForm is the form with what is said now.
func (d *Desk) saidForm(r *http.Request) (templates.Form, error) {
	brand, err := d.with.Branding.Said(r.Context())
	values := url.Values{}
	for _, f := range textFields() {
		values.Set(f.name, *f.at(&brand))
	}
	return brandForm(values), err
}

func brandForm(values url.Values) templates.Form {
	form := templates.Form{ID: "brand-form", Action: brandPath, Submit: texts.Say("parts.save"), Edits: true,
		Seen: values.Get(templates.FieldSeen)}
	for _, f := range textFields() {
		form.Inputs = append(form.Inputs, templates.Input{
			Kind: templates.InputText, Name: f.name, Label: f.label, Hint: f.hint, Value: values.Get(f.name),
		})
	}
	return form
}

func (d *Desk) page(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	return d.with.Web.Send(w, status, func(out io.Writer) error {
		return d.with.Pages.Form(out, templates.FormPage{
			Desk: desk(r), Back: back(), Heading: texts.Say("brand.title"), Lead: texts.Say("brand.lead"), Form: form,
			Also: []templates.Link{{URL: logoPath, Text: texts.Say("brand.logo")}},
		})
	})
}

func (d *Desk) set(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	now, err := d.saidForm(r)
	if err != nil {
		return err
	}
	err = webpage.Meet(values, now)
	change := Change{}
	for _, f := range textFields() {
		change[f.name] = values.Get(f.name)
	}
	if err == nil {
		_, err = d.with.Branding.Set(r.Context(), v.Act, change)
	}
	if err != nil {
		form := brandForm(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.page(w, r, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, brandPath+"?done=brand")
}

func (d *Desk) showLogo(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
	return d.logoPage(w, r, http.StatusOK, logoForm())
}

func logoForm() templates.Form {
	return templates.Form{
		ID: "logo-form", Action: logoPath, Submit: texts.Say("brand.logo-submit"),
		Inputs: []templates.Input{{
			Kind: templates.InputFile, Name: FieldLogo, Label: texts.Say("brand.logo-file"), Required: true,
			Accept: "image/png,image/jpeg", Hint: texts.Say("brand.logo-hint"),
		}},
	}
}

func (d *Desk) logoPage(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	return d.with.Web.Send(w, status, func(out io.Writer) error {
		return d.with.Pages.Picture(out, templates.PicturePage{
			Desk: desk(r), Back: templates.Link{URL: brandPath, Text: texts.Say("brand.title")},
			Heading: texts.Say("brand.logo"),
			URL:     d.with.Branding.Current().LogoURL, Alt: texts.Say("brand.logo-alt"), Form: form,
			Remove: templates.Button{ID: "remove-logo", Action: deleteLogoPath, Text: texts.Say("parts.remove")},
		})
	})
}

func (d *Desk) setLogo(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	file, err := httpio.ReadUpload(w, r, FieldLogo, maxLogoFile)
	if fault.Is(err, fault.TooLarge) {
		err = fault.New(fault.Invalid, picture.Reason, "The file is larger than 256 kB.").At(FieldLogo)
	}
	if err == nil {
		err = d.with.Branding.SetLogo(r.Context(), v.Act, append([]byte{}, file...))
	}
	if err != nil {
		form := logoForm()
		if fault.From(err).Reason != picture.Reason || !webpage.Mark(&form, err) {
			return err
		}
		return d.logoPage(w, r, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, logoPath+"?done=logo")
}

func (d *Desk) deleteLogo(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	if err := d.with.Branding.SetLogo(r.Context(), v.Act, nil); err != nil {
		return err
	}
	return webpage.See(w, r, logoPath+"?done=logo-removed")
}

// sheet serves the brand's colours. Who asks for others, because another server
// knows of a change already, gets none: what is kept for ever must be right.
func (d *Desk) sheet(w http.ResponseWriter, r *http.Request) error {
	brand := d.with.Branding.whole()
	if path := stylePath(brand); path == "" || path != r.URL.Path {
		return fault.New(fault.NotFound, "sheet_not_found", "There is no such stylesheet.")
	}
	return serve(w, "text/css; charset=utf-8", []byte(style(brand)))
}

func (d *Desk) logo(w http.ResponseWriter, r *http.Request) error {
	name, err := httpio.PathID(r, "logo")
	if err != nil {
		return err
	}
	brand := d.with.Branding.whole()
	if "/brand-logo/"+name != templates.BrandLogoPath(brand.LogoHash) {
		return fault.New(fault.NotFound, "logo_not_found", "There is no such picture.")
	}
	return serve(w, "image/png", brand.Logo)
}

func serve(w http.ResponseWriter, contentType string, body []byte) error {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Security-Policy", templates.PolicyPicture)
	h.Set("Cache-Control", templates.AssetCacheControl)
	_, _ = w.Write(body)
	return nil
}
