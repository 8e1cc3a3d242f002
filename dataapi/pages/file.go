package pages

import (
	"io"
	"net/http"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// file shows a file and its versions, the newest first.
func (d *Desk) file(w http.ResponseWriter, r *http.Request) error {
	at, err := d.Find.ReachItem(r)
	if err != nil {
		return err
	}
	l, err := d.list(r)
	if err != nil {
		return err
	}
	versions, next, err := d.store.ListVersions(r.Context(), at.Project.ID, at.Item.ID, storage.VersionQuery{}, l.page())
	if err != nil {
		return err
	}
	people := []string{at.Item.ReservedBy}
	for _, v := range versions {
		people = append(people, v.CreatedBy)
	}
	names, err := d.Names(r.Context(), people...)
	if err != nil {
		return err
	}
	page := templates.FilePage{Desk: d.Desk(r), Name: at.Item.Name, Hidden: at.Item.Hidden || !at.Folder.Visible,
		Offers:     d.FileOffers(at, d.Ambient.Now()),
		ReservedBy: names[at.Item.ReservedFor(d.Ambient.Now())], Pager: l.pager(next)}
	for _, v := range versions {
		page.Versions = append(page.Versions, templates.FileVersionRow{Number: v.Number, Name: v.Name,
			URL:  d.VersionURL(at.Project.ID, storage.VersionRef{ItemID: at.Item.ID, Number: v.Number}),
			Size: templates.Size(v.Size), At: v.CreatedAt, By: names[v.CreatedBy], Offers: d.VersionOffers(at, v)})
	}
	if page.Trail, err = d.Trail(r.Context(), at.Spot); err != nil {
		return err
	}
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.File(out, page) })
}
