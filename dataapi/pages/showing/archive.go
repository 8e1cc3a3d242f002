package showing

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// pack makes a ZIP file of a folder, and leads to it: the page stays, and the browser
// saves what comes.
func (d *Desk) pack(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	r = access.AsPerson(r, v.UserID)
	at, err := d.Find.ReachFolder(r)
	if err != nil {
		return err
	}
	url := d.FolderURL(at.Project.ID, at.Folder.ID)
	return d.made(w, r, v, at, nil, templates.FormPage{
		Back:    ground.Step(url, at.Folder.Name),
		Heading: texts.Say("showing.zip-which", "Name", at.Folder.Name),
		Form:    templates.Form{ID: "zip-form", Action: url + "/zip", Submit: texts.Say("showing.zip")},
	})
}

// packChosen is pack of what was chosen in a folder. The page stays, so that the same
// form comes again with another choice: it is served each time.
func (d *Desk) packChosen(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	r = access.AsPerson(r, v.UserID)
	at, err := d.Find.ReachFolder(r)
	if err != nil {
		return err
	}
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	choice, err := ground.Choice(values)
	if err != nil {
		return err
	}
	url := d.FolderURL(at.Project.ID, at.Folder.ID)
	if len(choice.FolderIDs)+len(choice.ItemIDs) == 0 {
		return ground.See(w, r, url, ground.NoneChosen)
	}
	there, err := d.Chosen(r.Context(), at, values)
	if err != nil {
		return err
	}
	return d.made(w, r, v, at, &choice, templates.FormPage{
		Back:    ground.Step(url, at.Folder.Name),
		Heading: texts.Say("filing.chosen.zip"),
		Form: templates.Form{ID: "zip-form", Action: url + "/chosen/zip", Submit: texts.Say("showing.zip"),
			Inputs: []templates.Input{ground.ChosenInput(there, nil, true)}},
	})
}

// made has a ZIP file made and leads to it, or shows the form again.
func (d *Desk) made(w http.ResponseWriter, r *http.Request, v websession.Visit, at access.Spot,
	choice *storage.ArchiveChoice, again templates.FormPage) error {
	httpio.AtLeisure(w)
	awaited, done := v.Awaited(r.Context())
	defer done()
	made, err := d.archives.Pack(awaited, at.Standing.Caller, at.Project.ID, at.Folder.ID, choice)
	if err != nil {
		return d.Again(w, r, again, err)
	}
	return webpage.See(w, r, ground.Root+"/archives/"+made.ID)
}

// archive sends a ZIP file to whoever had it made, for as long as their session and
// their rights last.
func (d *Desk) archive(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	id, err := httpio.PathID(r, archiveVariable)
	if err != nil {
		return err
	}
	who, err := access.Caller(access.AsPerson(r, v.UserID))
	if err != nil {
		return err
	}
	return d.archives.Serve(w, r, id, who, func(ctx context.Context) error {
		_, still, err := d.Sessions.Find(r.WithContext(ctx))
		if err == nil && !still {
			err = fault.New(fault.Forbidden, "session_ended", "The session has ended. Sign in again.")
		}
		return err
	})
}
