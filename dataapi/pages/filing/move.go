package filing

import (
	"cmp"
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// moving serves the page on which people find the folder to move something to.
func (d *Desk) moving(w http.ResponseWriter, r *http.Request, t thing) error {
	if err := d.may(t, wish{into: new(string)}); err != nil {
		return err
	}
	return d.pick(w, r, t.spot.Place, t.movePage(), nil)
}

func (t thing) movePage() templates.PickPage {
	return templates.PickPage{Back: t.back(), Heading: texts.Say("filing.move-which", "Name", t.name),
		Form: templates.Form{ID: "move-form", Submit: texts.Say("filing.move-here")}}
}

// move moves it into the folder that was open.
func (d *Desk) move(w http.ResponseWriter, r *http.Request, change storage.Change, t thing) error {
	to, err := d.opened(r, t.spot.Project.ID, change.Caller)
	if err == nil {
		err = d.change(r.Context(), change, t, wish{into: &to.Folder.ID})
	}
	if err != nil {
		return d.pick(w, r, t.spot.Place, t.movePage(), err)
	}
	return ground.See(w, r, t.url, "moved")
}

// copying serves the page on which people find the folder for a copy of a file.
func (d *Desk) copying(w http.ResponseWriter, r *http.Request) error {
	t, err := d.item(r)
	if err == nil {
		err = access.MayCopy(t.spot.Standing)
	}
	if err != nil {
		return err
	}
	name := cmp.Or(r.URL.Query().Get(tree.AtName), t.name)
	return d.pick(w, r, t.spot.Place, t.copyPage(name), nil)
}

func (t thing) copyPage(name string) templates.PickPage {
	return templates.PickPage{Back: t.back(), Heading: texts.Say("filing.copy-which", "Name", t.name),
		Form: templates.Form{ID: "copy-form", Submit: texts.Say("filing.copy-here"),
			Inputs: []templates.Input{nameInput(name)}}}
}

// copied makes the copy in the folder that was open: an item of its own with the
// newest bytes.
func (d *Desk) copied(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	t, err := d.item(r)
	if err != nil {
		return err
	}
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	page := t.copyPage(values.Get(tree.AtName))
	name, made := "", access.ItemSpot{}
	to, err := d.opened(r, t.spot.Project.ID, change.Caller)
	if err == nil {
		name, err = readName(values)
	}
	if err == nil {
		made, err = d.copy(r.Context(), change, t, to, name)
	}
	if err != nil {
		return d.pick(w, r, t.spot.Place, page, err)
	}
	return ground.See(w, r, d.ItemURL(t.spot.Project.ID, made.Item.ID), "copied")
}

// copy makes a file of its own with the newest bytes of one.
func (d *Desk) copy(ctx context.Context, change storage.Change, t thing, to access.Spot,
	name string) (access.ItemSpot, error) {
	from := storage.VersionRef{ItemID: t.file.Item.ID, Number: t.file.Tip.Number}
	return d.rules.AddItem(ctx, change, t.spot.Project.ID, storage.Item{FolderID: to.Folder.ID, Name: name},
		storage.NewVersion{Name: name, CopyFrom: &from})
}
