package pages

import (
	"io"
	"net/http"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// file shows a file and its versions, the newest first.
func (d *Desk) file(w http.ResponseWriter, r *http.Request) error {
	at, err := d.find.ReachItem(r)
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
	names, err := d.names(r.Context(), people...)
	if err != nil {
		return err
	}
	page := templates.FilePage{Desk: desk(r), Name: at.Item.Name, Hidden: at.Item.Hidden || !at.Folder.Visible,
		ReservedBy: names[at.Item.ReservedFor(d.with.Ambient.Now())], Pager: l.pager(next)}
	for _, v := range versions {
		page.Versions = append(page.Versions, templates.FileVersionRow{Number: v.Number, Name: v.Name,
			Size: templates.Size(v.Size), At: v.CreatedAt, By: names[v.CreatedBy]})
	}
	if page.Trail, err = d.trail(r.Context(), at.Spot); err != nil {
		return err
	}
	return d.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.File(out, page) })
}
