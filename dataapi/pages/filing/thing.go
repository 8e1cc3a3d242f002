package filing

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// thing is a folder, or a file: what both are asked is asked of it.
type thing struct {
	spot access.Spot // the folder, or that of the file
	file *access.ItemSpot
	name string
	url  string // of its page
}

func (d *Desk) folder(r *http.Request) (thing, error) {
	at, err := d.Find.ReachFolder(r)
	return thing{spot: at, name: at.Folder.Name, url: d.FolderURL(at.Project.ID, at.Folder.ID)}, err
}

func (d *Desk) item(r *http.Request) (thing, error) {
	at, err := d.Find.ReachItem(r)
	return d.ofItem(at), err
}

func (d *Desk) ofItem(at access.ItemSpot) thing {
	return thing{spot: at.Spot, file: &at, name: at.Item.Name, url: d.ItemURL(at.Project.ID, at.Item.ID)}
}

// back leads to the thing's page.
func (t thing) back() templates.Link { return templates.Link{URL: t.url, Text: texts.Own(t.name)} }

// anew is the form of what a button does with the thing, as it is shown with what speaks
// against that.
func (t thing) anew(r *http.Request, heading, submit texts.Text) templates.FormPage {
	return templates.FormPage{Back: t.back(), Heading: heading,
		Form: templates.Form{ID: "anew", Action: r.URL.Path, Submit: submit}}
}

// wish is what is to become of a thing; what is nil stays.
type wish struct {
	name   *string
	into   *string // uid of a folder
	hidden *bool
}

// may decides whether the caller may have it so.
func (d *Desk) may(t thing, w wish) error {
	if t.file != nil {
		return d.rules.MayChangeItem(*t.file, storage.ItemPatch{Name: w.name, FolderID: w.into, Hidden: w.hidden})
	}
	return d.rules.MayChangeFolder(t.spot, storage.FolderPatch{Name: w.name, ParentID: w.into, Hidden: w.hidden})
}

// change has it so.
func (d *Desk) change(ctx context.Context, change storage.Change, t thing, w wish) error {
	var err error
	if t.file != nil {
		_, err = d.rules.ChangeItem(ctx, change, *t.file,
			storage.ItemPatch{Name: w.name, FolderID: w.into, Hidden: w.hidden})
		return err
	}
	_, err = d.rules.ChangeFolder(ctx, change, t.spot,
		storage.FolderPatch{Name: w.name, ParentID: w.into, Hidden: w.hidden})
	return err
}

// above is the page of where the thing lies, as far as the person can read that.
func (d *Desk) above(ctx context.Context, t thing) (string, error) {
	if t.file != nil {
		return d.FolderURL(t.spot.Project.ID, t.spot.Folder.ID), nil
	}
	trail, err := d.Trail(ctx, t.spot)
	if err != nil || len(trail) < 2 {
		return t.url, err
	}
	return trail[len(trail)-2].URL, nil
}
