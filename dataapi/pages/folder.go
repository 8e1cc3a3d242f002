package pages

import (
	"context"
	"io"
	"net/http"

	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// folder shows what is in a folder.
func (d *Desk) folder(w http.ResponseWriter, r *http.Request) error {
	at, err := d.Find.ReachFolder(r)
	if err != nil {
		return err
	}
	l, err := d.list(r)
	if err != nil {
		return err
	}
	contents, err := d.store.ListContents(r.Context(), at.Project.ID, at.Folder.ID, storage.ContentsQuery{}, l.page())
	if err != nil {
		return err
	}
	trail, err := d.Trail(r.Context(), at)
	if err != nil {
		return err
	}
	page := templates.FolderPage{Desk: d.Desk(r), Trail: trail[:len(trail)-1], Name: at.Folder.Name,
		Hidden: !at.Folder.Visible, Offers: d.Offers(at), Pager: l.pager(contents.Next)}
	if page.Rows, err = d.rows(r.Context(), contents); err != nil {
		return err
	}
	if len(page.Rows) > 0 {
		page.Bar = d.Bar(at)
	}
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.Folder(out, page) })
}

func (d *Desk) rows(ctx context.Context, c storage.Contents) ([]templates.FolderRow, error) {
	var people []string
	for _, f := range c.Folders {
		people = append(people, f.ModifiedBy)
	}
	for _, i := range c.Items {
		people = append(people, i.Tip.CreatedBy, i.Item.ReservedBy)
	}
	names, err := d.Names(ctx, people...)
	var list []templates.FolderRow
	for _, f := range c.Folders {
		list = append(list, templates.FolderRow{URL: d.FolderURL(f.ProjectID, f.ID), Name: f.Name, Folder: true,
			Choice: ground.FolderChoice(f.ID), Changed: f.RollupAt, By: names[f.ModifiedBy]})
	}
	for _, i := range c.Items {
		list = append(list, templates.FolderRow{URL: d.ItemURL(i.Item.ProjectID, i.Item.ID), Name: i.Item.Name,
			Choice: ground.ItemChoice(i.Item.ID), Version: i.Tip.Number, Size: templates.Size(i.Tip.Size),
			Changed: i.Tip.CreatedAt, By: names[i.Tip.CreatedBy], ReservedBy: names[i.Item.ReservedFor(d.Ambient.Now())]})
	}
	return list, err
}
