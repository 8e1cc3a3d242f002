package showing

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/relations"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// refsShown is how many of the things that refer to a file its page names.
const refsShown = 20

// sumShown is how many digits of a version's SHA-256 stand beside it.
const sumShown = 12

// file shows a file as it is now, its versions, the newest first, and what refers to it.
func (d *Desk) file(w http.ResponseWriter, r *http.Request) error {
	at, err := d.Find.ReachItem(r)
	if err != nil {
		return err
	}
	l, err := d.List(r)
	if err != nil {
		return err
	}
	newest, err := d.see(r.Context(), at, at.Tip)
	if err != nil {
		return err
	}
	now := d.Ambient.Now()
	page := templates.FilePage{Desk: d.Desk(r), Name: at.Item.Name, Hidden: at.Item.Hidden || !at.Folder.Visible,
		URL: newest.url, Offers: d.FileOffers(at, now)}
	if page.View, err = d.view(r.Context(), newest); err != nil {
		return err
	}
	if page.Versions, page.Pager, err = d.versions(r.Context(), at, l); err != nil {
		return err
	}
	if page.ReservedBy, err = d.name(r.Context(), at.Item.ReservedFor(now)); err != nil {
		return err
	}
	if page.Refs, err = d.referrers(r.Context(), at); err != nil {
		return err
	}
	if page.Trail, err = d.Trail(r.Context(), at.Spot); err != nil {
		return err
	}
	return d.Web.SendUnder(templates.PolicyFraming, w, http.StatusOK,
		func(out io.Writer) error { return d.Pages.File(out, page) })
}

func (d *Desk) name(ctx context.Context, id string) (string, error) {
	names, err := d.Names(ctx, id)
	return names[id], err
}

// versions are the rows of a page of a file's versions.
func (d *Desk) versions(ctx context.Context, at access.ItemSpot, l ground.List) (rows []templates.FileVersionRow,
	ways templates.Pager, err error) {
	list, next, err := d.store.ListVersions(ctx, at.Project.ID, at.Item.ID, storage.VersionQuery{}, l.Page())
	if err != nil || len(list) == 0 {
		return nil, ways, err
	}
	var people []string
	for _, v := range list {
		people = append(people, v.CreatedBy)
	}
	names, err := d.Names(ctx, people...)
	if err != nil {
		return nil, ways, err
	}
	sums, err := d.store.ListSums(ctx, at.Project.ID, at.Item.ID, list[len(list)-1].Number, list[0].Number)
	for _, v := range list {
		sum := hex.EncodeToString(sums[v.Number])
		rows = append(rows, templates.FileVersionRow{Number: v.Number, Name: v.Name, Stage: ground.StageOf(v),
			URL:  d.VersionURL(at.Project.ID, storage.VersionRef{ItemID: at.Item.ID, Number: v.Number}),
			Size: templates.Size(v.Size), At: v.CreatedAt, By: names[v.CreatedBy],
			Sum: sum, SumStart: sum[:min(len(sum), sumShown)],
			Offers: d.VersionOffers(at, v)})
	}
	return rows, l.Ways(next), err
}

// referrers are the first things that refer to the file or its newest version, as far as
// the person can see them.
func (d *Desk) referrers(ctx context.Context, at access.ItemSpot) ([]templates.Link, error) {
	var links []templates.Link
	known := map[string]bool{}
	for _, end := range []storage.End{{ItemID: at.Item.ID}, {ItemID: at.Item.ID, Version: at.Tip.Number}} {
		refs, _, err := relations.Ends{Store: d.store}.Refs(ctx, relations.NewOwner(at.Spot, end),
			storage.RefQuery{NoOutward: true}, storage.DataPage{Limit: refsShown}, everything)
		if err != nil {
			return nil, err
		}
		for _, ref := range refs {
			if link := d.toEnd(at.Project.ID, ref.Found); !known[link.URL] {
				known[link.URL] = true
				links = append(links, link)
			}
		}
	}
	return links, nil
}

func everything(storage.Found) bool { return true }

// toEnd leads to something that refers, or is referred to.
func (d *Desk) toEnd(project string, f storage.Found) templates.Link {
	switch {
	case f.Version.ItemID != "":
		return ground.Step(d.VersionURL(project, storage.VersionRef{ItemID: f.Version.ItemID, Number: f.Version.Number}),
			f.Version.Name)
	case f.Item.Item.ID != "":
		return ground.Step(d.ItemURL(project, f.Item.Item.ID), f.Item.Item.Name)
	}
	return ground.Step(d.FolderURL(project, f.Folder.ID), f.Folder.Name)
}
