package pages

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// What narrows the list of a folder, and orders it.
const (
	keepPart     = "part"
	keepState    = "state"
	keepSuits    = "suits"
	keepRevision = "revision"
	keepOrder    = "order"

	orderBack   = "back"
	orderNewest = "newest"
)

// folder shows what is in a folder.
func (d *Desk) folder(w http.ResponseWriter, r *http.Request) error {
	at, err := d.Find.ReachFolder(r)
	if err != nil {
		return err
	}
	l, err := d.List(r, keepPart, keepState, keepSuits, keepRevision, keepOrder)
	if err != nil {
		return err
	}
	contents, err := d.store.ListContents(r.Context(), at.Project.ID, at.Folder.ID, narrowed(l), l.Page())
	if err != nil {
		return err
	}
	if l.Strays(len(contents.Folders) + len(contents.Items)) {
		return l.Begin(w, r)
	}
	trail, err := d.Trail(r.Context(), at)
	if err != nil {
		return err
	}
	page := templates.FolderPage{Desk: d.Desk(r), Trail: trail[:len(trail)-1], Name: at.Folder.Name,
		Hidden: !at.Folder.Visible, Offers: d.Offers(at), Filter: d.filter(at, l), Pager: l.Ways(contents.Next),
		None: emptiness(at, l)}
	page.Named, page.Dated = sorted(l)
	if page.Rows, err = d.rows(r.Context(), at, contents); err != nil {
		return err
	}
	page.Staged = slices.ContainsFunc(contents.Items, func(i storage.ItemWithTip) bool {
		return storage.StateOf(i.Tip.Extension) != storage.VersionState{}
	})
	if len(page.Rows) > 0 {
		page.Bar = d.Bar(at)
	}
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.Folder(out, page) })
}

// narrowed is what a list asks for.
func narrowed(l ground.List) storage.ContentsQuery {
	query := storage.ContentsQuery{Part: l.Kept(keepPart), Descending: l.Kept(keepOrder) == orderBack,
		Newest: l.Kept(keepOrder) == orderNewest}
	for name, of := range map[string]storage.StateField{keepState: storage.StateItself,
		keepSuits: storage.StateSuitability, keepRevision: storage.StateRevision} {
		if value := l.Kept(name); value != "" {
			query.Stated = append(query.Stated, storage.StateCondition{Of: of,
				TextCondition: storage.TextCondition{Op: storage.OpEqual, Values: []string{value}}})
		}
	}
	return query
}

// filter is the form that narrows and orders a list.
func (d *Desk) filter(at access.Spot, l ground.List) templates.FolderFilter {
	here := d.FolderURL(at.Project.ID, at.Folder.ID)
	f := templates.FolderFilter{Action: here, AllURL: here, Part: l.Kept(keepPart), Revision: l.Kept(keepRevision),
		On: l.Narrowed(keepPart, keepState, keepSuits, keepRevision, keepOrder)}
	if f.Part != "" {
		f.BelowURL = here + "/search?" + url.Values{"q": {f.Part}}.Encode()
	}
	for _, state := range storage.VersionStates() {
		word, _ := ground.StateWord(state)
		f.States = append(f.States, templates.Option{Value: state, Label: word, Chosen: state == l.Kept(keepState)})
	}
	for _, s := range ground.Suitabilities(l.Kept(keepSuits)) {
		f.Suits = append(f.Suits, templates.Option{Value: s, Label: texts.Own(s), Chosen: s == l.Kept(keepSuits)})
	}
	f.Orders = []templates.Option{{Label: texts.Say("files.order.name")},
		{Value: orderBack, Label: texts.Say("files.order.back")},
		{Value: orderNewest, Label: texts.Say("files.order.newest")}}
	for i := range f.Orders {
		f.Orders[i].Chosen = f.Orders[i].Value == l.Kept(keepOrder)
	}
	return f
}

// sorted are the columns that a list is ordered by, and can be.
func sorted(l ground.List) (named, dated templates.Sorted) {
	named, dated = templates.Sorted{URL: l.With(keepOrder, "")}, templates.Sorted{URL: l.With(keepOrder, orderNewest)}
	switch l.Kept(keepOrder) {
	case orderNewest:
		dated.As = "descending"
	case orderBack:
		named.As = "descending"
	default:
		named = templates.Sorted{URL: l.With(keepOrder, orderBack), As: "ascending"}
	}
	return named, dated
}

// emptiness says why there are no rows, and what can be done about it.
func emptiness(at access.Spot, l ground.List) texts.Text {
	switch {
	case l.Narrowed(keepPart, keepState, keepSuits, keepRevision):
		return texts.Say("parts.none-fits")
	case at.Folder.Visible && !at.Project.Archived && access.MayPut(at.Standing) == nil:
		return texts.Say("files.empty-yours")
	}
	return texts.Say("files.empty")
}

func (d *Desk) rows(ctx context.Context, at access.Spot, c storage.Contents) ([]templates.FolderRow, error) {
	var people []string
	for _, f := range c.Folders {
		people = append(people, f.ModifiedBy)
	}
	for _, i := range c.Items {
		people = append(people, i.Item.ModifiedBy, i.Item.ReservedBy)
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
			Stage: ground.StageOf(i.Tip), Changed: i.Item.ModifiedAt, By: names[i.Item.ModifiedBy],
			ReservedBy: names[i.Item.ReservedFor(d.Ambient.Now())], Picture: d.thumbnail(at, i)})
	}
	return list, err
}

// thumbnail is the address of a small picture of a file, for those who may read it.
func (d *Desk) thumbnail(at access.Spot, i storage.ItemWithTip) string {
	if at.Standing.Level() < storage.LevelDownload || i.Tip.ObjectKey == "" ||
		i.Tip.MimeType != "image/png" && i.Tip.MimeType != "image/jpeg" {
		return ""
	}
	return d.VersionURL(at.Project.ID, storage.VersionRef{ItemID: i.Item.ID, Number: i.Tip.Number}) + "/thumbnail"
}
