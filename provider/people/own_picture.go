package people

import (
	"io"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/picture"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/portrait"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const (
	ownPicturePath    = "/account/picture"
	deletePicturePath = ownPicturePath + "/delete"

	portraitShown = 120 // pixels
)

func portraitForm() templates.Form {
	return templates.Form{
		ID: "picture-form", Action: ownPicturePath, Submit: texts.Say("own.picture.submit"),
		Inputs: []templates.Input{{
			Kind: templates.InputFile, Name: FieldPortrait, Label: texts.Say("own.picture.file"), Required: true,
			Accept: "image/png,image/jpeg", Hint: texts.Say("own.picture.hint"),
		}},
	}
}

func (d own) showOwnPicture(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	return d.ownPicturePage(w, r, v, http.StatusOK, portraitForm())
}

func (d own) ownPicturePage(w http.ResponseWriter, r *http.Request, v websession.Visit, status int,
	form templates.Form) error {
	return d.send(w, status, func(out io.Writer) error {
		return d.with.Pages.Picture(out, templates.PicturePage{
			Desk: ownDesk(r), Back: home(), Heading: texts.Say("own.picture.title"), Lead: texts.Say("own.picture.lead"),
			URL: portrait.Path(v.User.Portrait, portraitShown), Alt: texts.Say("own.picture.alt"), Form: form,
			Remove: templates.Button{ID: "remove-picture", Action: deletePicturePath, Text: texts.Say("parts.remove")},
		})
	})
}

func (d own) setOwnPicture(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	file, err := httpio.ReadUpload(w, r, FieldPortrait, maxPortraitFile)
	if fault.Is(err, fault.TooLarge) {
		err = fault.New(fault.Invalid, picture.Reason, "The file is larger than 5 MB.").At(FieldPortrait)
	}
	if err == nil {
		err = d.people.SetPortrait(r.Context(), v.Act, v.UserID, file)
	}
	if err != nil {
		form := portraitForm()
		if fault.From(err).Reason != picture.Reason || !webpage.Mark(&form, err) {
			return err
		}
		return d.ownPicturePage(w, r, v, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, ownPicturePath+"?done=picture")
}

func (d own) deleteOwnPicture(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	if err := d.people.DeletePortrait(r.Context(), v.Act, v.UserID); err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return webpage.See(w, r, ownPicturePath+"?done=picture-removed")
}

// portrait serves a picture of a person, to everybody: its name is a hash, so that
// only who was told of it can ask for it. It is a picture of our making, and a
// browser that opens it by itself runs nothing.
func (d own) portrait(w http.ResponseWriter, r *http.Request) error {
	hash, err := httpio.PathID(r, "hash")
	if err != nil {
		return err
	}
	end, err := httpio.PathID(r, "size")
	if err != nil {
		return err
	}
	drawn, err := d.people.Portrait(r.Context(), hash, end)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "image/jpeg")
	h.Set("Content-Security-Policy", templates.PolicyPicture)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // apps show it on their pages
	h.Set("Cache-Control", templates.AssetCacheControl)
	_, _ = w.Write(drawn)
	return nil
}

// PortraitRoute is where the pictures of people are.
func (d *Desk) PortraitRoute() httpio.Route {
	return httpio.At(portrait.Template).Get(httpio.Open(d.with.Web.Error, own{d}.portrait))
}
