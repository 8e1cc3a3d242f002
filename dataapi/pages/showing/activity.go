package showing

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/dataapi/feed"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const (
	activityLabel = "activity cursor"

	// doneBy is the parameter with the id of the one whose changes are looked for.
	doneBy = "by"
)

// projectActivity shows what has happened last in a project.
func (d *Desk) projectActivity(w http.ResponseWriter, r *http.Request) error {
	place, err := d.Find.ReachProject(r, false)
	if err != nil {
		return err
	}
	return d.activity(w, r, place, feed.Narrow{}, place.Project.Name, ground.Within(place))
}

// folderActivity shows what has happened to a folder, and to what lies anywhere below it.
func (d *Desk) folderActivity(w http.ResponseWriter, r *http.Request) error {
	at, err := d.Find.ReachFolder(r)
	if err != nil {
		return err
	}
	trail, err := d.Trail(r.Context(), at)
	if err != nil {
		return err
	}
	return d.activity(w, r, at.Place, feed.Narrow{FolderID: at.Folder.ID}, at.Folder.Name, trail)
}

// itemActivity shows what has happened to a file.
func (d *Desk) itemActivity(w http.ResponseWriter, r *http.Request) error {
	at, err := d.Find.ReachItem(r)
	if err != nil {
		return err
	}
	trail, err := d.Trail(r.Context(), at.Spot)
	if err != nil {
		return err
	}
	trail = append(trail, ground.Step(d.ItemURL(at.Project.ID, at.Item.ID), at.Item.Name))
	return d.activity(w, r, at.Place, feed.Narrow{ItemID: at.Item.ID}, at.Item.Name, trail)
}

// activity shows changes, the newest first, of everybody or of one.
func (d *Desk) activity(w http.ResponseWriter, r *http.Request, at storage.Place, narrow feed.Narrow, name string,
	trail []templates.Link) error {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	narrow.UserID = query.Get(doneBy)
	after := query.Get("after")
	if after != "" {
		cursor, ok := d.Pager.OpenCursor(activityLabel, after, r.URL.Path)
		if !ok {
			return ground.Astray()
		}
		after = string(cursor)
	}
	changes, next, err := feed.Newest(r.Context(), d.store, at, narrow, after)
	if err != nil {
		return err
	}
	page := templates.ActivityPage{Desk: d.Desk(r), Trail: trail, Name: name, AllURL: r.URL.Path}
	if page.Rows, err = d.happened(r.Context(), at, changes, r.URL.Path); err != nil {
		return err
	}
	if narrow.UserID == "" {
		page.AllURL = ""
	} else if len(page.Rows) > 0 {
		page.By = page.Rows[0].By
	}
	if next != "" {
		page.NextURL = byURL(r.URL.Path, narrow.UserID, d.Pager.Cursor(activityLabel, []byte(next), r.URL.Path))
	}
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.Activity(out, page) })
}

// byURL is the address of the list of one person's changes, behind a cursor.
func byURL(path, user, cursor string) string {
	query := url.Values{}
	if user != "" {
		query.Set(doneBy, user)
	}
	if cursor != "" {
		query.Set("after", cursor)
	}
	return path + "?" + query.Encode()
}

// happened are the rows of changes.
func (d *Desk) happened(ctx context.Context, at storage.Place, changes []feed.Change, path string) (
	[]templates.ActivityRow, error) {
	var people []string
	for _, c := range changes {
		people = append(people, c.Caller.UserID)
	}
	names, err := d.Names(ctx, people...)
	rows := make([]templates.ActivityRow, len(changes))
	for n, c := range changes {
		rows[n] = templates.ActivityRow{What: did(c), At: c.Act.At, About: d.about(at, c)}
		switch who := c.Caller; {
		case who.UserID != "":
			rows[n].By = texts.Own(names[who.UserID])
			rows[n].ByURL = byURL(path, who.UserID, "")
		case who.ClientID != "":
			rows[n].By = texts.Say("showing.by-app")
		default:
			rows[n].By = texts.Say("showing.by-server")
		}
		if c.About.Item.Item.ID != "" {
			rows[n].In = ground.Step(d.FolderURL(at.Project.ID, c.About.Folder.ID), c.About.Folder.Name)
		}
	}
	return rows, err
}

// about leads to what a change is about, as it is called now.
func (d *Desk) about(at storage.Place, c feed.Change) templates.Link {
	switch f := c.About; {
	case f.Item.Item.ID != "":
		return ground.Step(d.ItemURL(at.Project.ID, f.Item.Item.ID), f.Item.Item.Name)
	case f.Folder.ID != "":
		return ground.Step(d.FolderURL(at.Project.ID, f.Folder.ID), f.Folder.Name)
	case c.Kind == storage.EventTransmittalSent:
		return ground.Step(ground.Project+at.Project.ID+"/transmittals/"+c.Subject, c.Title())
	case feed.OfProject(c.Kind):
		return ground.Step(ground.Project+at.Project.ID, at.Project.Name)
	}
	return templates.Link{}
}
