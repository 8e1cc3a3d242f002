package sending

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/transmittal"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// tipsShown says, in the address that the form goes to, which was the newest version of
// each of the things there: what is sent is what was looked at.
const tipsShown = "tips"

// overtaken reports whether a file has a newer version than the form was shown with.
func overtaken(shown url.Values, c ground.Chosen) bool {
	of, tips := strings.Split(shown.Get(ground.Of), ","), strings.Split(shown.Get(tipsShown), ",")
	i := slices.Index(of, c.Value)
	return i >= 0 && i < len(tips) && tips[i] != "" && tips[i] != strconv.Itoa(c.File.Tip.Number)
}

// letter is the form that sends what is chosen in a folder.
func (d *Desk) letter(at access.Spot, list []ground.Chosen, sent bool) templates.FormPage {
	here := d.FolderURL(at.Project.ID, at.Folder.ID)
	why, of, tips := map[string]texts.Text{}, make([]string, len(list)), make([]string, len(list))
	for i, c := range list {
		of[i], tips[i] = c.Value, "0"
		if c.File == nil {
			why[c.Value] = texts.Say("sending.folder")
		} else {
			tips[i] = strconv.Itoa(c.File.Tip.Number)
		}
	}
	return templates.FormPage{Back: ground.Step(here, at.Folder.Name), Heading: texts.Say("sending.send-title"),
		Lead: texts.Say("sending.send-lead"),
		Form: templates.Form{ID: "send-form", Action: here + "/chosen/send?" + ground.Of + "=" + strings.Join(of, ",") +
			"&" + tipsShown + "=" + strings.Join(tips, ","),
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

// handles are those to whom something is to be sent, one a line. Lists of addresses are
// taken as they are pasted, too; the name of a group may have commas of its own.
func handles(typed string) (to []string) {
	for _, line := range webpage.Lines(typed) {
		if !strings.Contains(line, "@") {
			to = append(to, line)
			continue
		}
		to = append(to, strings.FieldsFunc(line, func(c rune) bool { return c == ',' || c == ';' })...)
	}
	return to
}

// send sends the newest versions of what is chosen, if they are those that the form was
// shown with.
func (d *Desk) send(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	at, err := d.Find.ReachFolder(r)
	if err != nil {
		return err
	}
	shown, err := httpio.ReadQuery(r)
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
	draft := transmittal.Draft{Title: values.Get(transmittal.FieldTitle), Message: values.Get(transmittal.FieldMessage),
		To: handles(values.Get(transmittal.FieldTo))}
	for _, c := range list {
		if c.File == nil {
			err = fault.New(fault.Invalid, "folder_sent", "Folders are not sent: choose the files in it.").At(ground.Of)
			continue
		}
		if overtaken(shown, c) {
			err = fault.New(fault.PreconditionFailed, storage.ReasonChanged,
				"It was changed meanwhile: read it again.").At(ground.Of)
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
