package showing

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

const (
	foundRows   = 50
	foundLabel  = "files found cursor"
	foundWithin = 250 * time.Millisecond // a page is looked for, and then goes on where it came to
	queryMost   = 255
)

// search shows the files in a folder, and everywhere below it, whose names hold what
// was typed.
func (d *Desk) search(w http.ResponseWriter, r *http.Request) error {
	at, err := d.Find.ReachFolder(r)
	if err != nil {
		return err
	}
	typed, after, err := d.asked(r)
	if err != nil {
		return err
	}
	page := templates.FoundPage{Desk: d.Desk(r), Name: at.Folder.Name, Query: typed, Action: r.URL.Path}
	if typed != "" {
		items, next, err := d.store.Search(r.Context(), at.Project.ID, at.Folder.ID, storage.SearchQuery{
			Budget: foundWithin, Texts: map[storage.SearchField][]storage.TextCondition{
				storage.SearchName: {{Op: storage.OpIContains, Values: []string{typed}}}},
		}, storage.DataPage{After: after, Limit: foundRows})
		if err != nil {
			return err
		}
		if next != "" {
			page.NextURL = r.URL.Path + "?" + url.Values{"q": {typed},
				"after": {d.Pager.Cursor(foundLabel, []byte(next), foundAt(r, typed))}}.Encode()
		}
		if page.Rows, err = d.found(r.Context(), at, items); err != nil {
			return err
		}
	}
	if page.Trail, err = d.Trail(r.Context(), at); err != nil {
		return err
	}
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.Found(out, page) })
}

// foundAt is what a cursor belongs to.
func foundAt(r *http.Request, typed string) string { return r.URL.Path + "?" + typed }

// asked reads what was typed, and where to go on.
func (d *Desk) asked(r *http.Request) (typed, after string, err error) {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return "", "", err
	}
	typed = strings.TrimSpace(query.Get("q"))
	if utf8.RuneCountInString(typed) > queryMost {
		return "", "", fault.New(fault.Invalid, "query_too_long", "What is looked for has at most 255 characters.")
	}
	if text := query.Get("after"); text != "" {
		cursor, ok := d.Pager.OpenCursor(foundLabel, text, foundAt(r, typed))
		if !ok {
			return "", "", ground.Astray()
		}
		after = string(cursor)
	}
	return typed, after, nil
}

// found are the rows of what was found, each with the folder that it lies in.
func (d *Desk) found(ctx context.Context, at access.Spot, items []storage.ItemWithTip) ([]templates.FoundRow, error) {
	if len(items) == 0 {
		return nil, nil
	}
	people, ends := []string{}, []storage.End{}
	seen := map[string]bool{}
	for _, i := range items {
		people = append(people, i.Tip.CreatedBy)
		if !seen[i.Item.FolderID] {
			ends = append(ends, storage.End{FolderID: i.Item.FolderID})
		}
		seen[i.Item.FolderID] = true
	}
	names, err := d.Names(ctx, people...)
	if err != nil {
		return nil, err
	}
	_, folders, err := d.store.FindEnds(ctx, at.Standing.Caller, at.Project.ID, ends)
	if err != nil {
		return nil, err
	}
	where := map[string]templates.Link{}
	for _, f := range folders {
		where[f.Folder.ID] = ground.Step(d.FolderURL(at.Project.ID, f.Folder.ID), f.Folder.Name)
	}
	rows := make([]templates.FoundRow, len(items))
	for n, i := range items {
		rows[n] = templates.FoundRow{URL: d.ItemURL(at.Project.ID, i.Item.ID), Name: i.Item.Name,
			In: where[i.Item.FolderID], Size: templates.Size(i.Tip.Size), At: i.Tip.CreatedAt, By: names[i.Tip.CreatedBy]}
	}
	return rows, nil
}
