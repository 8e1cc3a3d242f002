package sending

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/transmittal"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// letter is the form that sends what is chosen in a folder.
func (d *Desk) letter(at access.Spot, list []ground.Chosen, sent bool) templates.FormPage {
	here := d.FolderURL(at.Project.ID, at.Folder.ID)
	why, of := map[string]texts.Text{}, make([]string, len(list))
	for i, c := range list {
		of[i] = c.Value
		if c.File == nil {
			why[c.Value] = texts.Say("sending.folder")
		}
	}
	return templates.FormPage{Back: ground.Step(here, at.Folder.Name), Heading: texts.Say("sending.send-title"),
		Lead: texts.Say("sending.send-lead"),
		Form: templates.Form{ID: "send-form", Action: here + "/chosen/send?" + ground.Of + "=" + strings.Join(of, ","),
			Submit: texts.Say("sending.submit"),
			Inputs: []templates.Input{
				ground.ChosenInput(list, why, sent),
				{Kind: templates.InputText, Name: transmittal.FieldTitle, Label: texts.Say("sending.subject"), Required: true,
					Max: storage.MaxTransmittalTitle},
				{Kind: templates.InputLines, Name: transmittal.FieldTo, Label: texts.Say("sending.to"), Required: true,
					Hint: texts.Say("sending.to-hint")},
				{Kind: templates.InputLines, Name: transmittal.FieldMessage, Label: texts.Say("sending.message"),
					Max: storage.MaxTransmittalMessage},
			}}}
}

// chosen are the things that an address or a form names, where the person may send.
func (d *Desk) chosen(r *http.Request, values url.Values) (access.Spot, []ground.Chosen, error) {
	at, err := d.Find.ReachFolder(r)
	if err == nil {
		err = access.MaySend(at.Standing)
	}
	if err != nil {
		return at, nil, err
	}
	list, err := d.Chosen(r.Context(), at, values)
	return at, list, err
}

// ask serves the form.
func (d *Desk) ask(w http.ResponseWriter, r *http.Request) error {
	values, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	at, list, err := d.chosen(r, values)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return ground.See(w, r, d.FolderURL(at.Project.ID, at.Folder.ID), ground.NoneChosen)
	}
	return d.Form(w, r, d.letter(at, list, false))
}

// send sends the newest versions of what is chosen.
func (d *Desk) send(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	at, err := d.Find.ReachFolder(r)
	if err != nil {
		return err
	}
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	list, err := d.Chosen(r.Context(), at, values)
	if err != nil {
		return err
	}
	apart := func(c rune) bool { return strings.ContainsRune("\r\n,;", c) }
	draft := transmittal.Draft{Title: values.Get(transmittal.FieldTitle), Message: values.Get(transmittal.FieldMessage),
		To: strings.FieldsFunc(values.Get(transmittal.FieldTo), apart)}
	for _, c := range list {
		if c.File == nil {
			err = fault.New(fault.Invalid, "folder_sent", "Folders are not sent: choose the files in it.").At(ground.Of)
			continue
		}
		draft.Versions = append(draft.Versions, storage.VersionRef{ItemID: c.File.Item.ID, Number: c.File.Tip.Number})
	}
	var sent storage.Transmittal
	if err == nil {
		sent, err = d.rules.Send(r.Context(), change, at.Project.ID, draft)
	}
	if err != nil {
		page := d.letter(at, list, true)
		page.Form = page.Form.Refill(values)
		return d.Again(w, r, page, err)
	}
	return ground.See(w, r, transmittal.Page(at.Project.ID, sent.Number), "sent")
}
