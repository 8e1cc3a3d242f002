package feed

import (
	"context"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/storage"
)

// Events is where what has happened last is looked for.
type Events interface {
	Ends
	ListEvents(ctx context.Context, query storage.EventQuery, page storage.PageRequest) ([]storage.Event, string, error)
	ListEventsIn(ctx context.Context, in storage.EventsIn, page storage.PageRequest) ([]storage.Event, string, error)
}

// newestAtOnce is how many changes are looked at at a time, and shown at most.
const newestAtOnce = 100

// Narrow is what of a project's changes is asked for; empty fields narrow nothing.
type Narrow struct {
	FolderID string // what has happened to the folder, and to what lies anywhere below it or did
	ItemID   string
	UserID   string // by whose rights it was done
}

// keeps reports whether a change is asked for.
func (n Narrow) keeps(e storage.Event) bool {
	return Tells(e.Kind) && (n.UserID == "" || e.Caller.UserID == n.UserID)
}

// page reads some of the events that may be asked for, and where to go on.
func (n Narrow) page(ctx context.Context, store Events, projectID, after string) ([]storage.Event, string, error) {
	page := storage.PageRequest{After: after, Limit: newestAtOnce}
	if n.ItemID != "" {
		return store.ListEvents(ctx, storage.EventQuery{ProjectID: projectID, Subject: n.ItemID}, page)
	}
	return store.ListEventsIn(ctx, storage.EventsIn{ProjectID: projectID, FolderID: n.FolderID, UserID: n.UserID}, page)
}

// Tells reports whether the feed tells of such a kind of event.
func Tells(kind string) bool { return isContent(kind) || isOfProject(kind) || isSent(kind) }

// Change is something that has happened, as somebody sees it now.
type Change struct {
	storage.Event
	About storage.Found // zero where it is about the project, or about something that is nowhere any more
}

// Number is that of the version that the change is about, 0 for none.
func (c Change) Number() int { return dataOf(c.Event).Number }

// Title is what something is called that was sent.
func (c Change) Title() string { return dataOf(c.Event).Title }

// OfProject reports whether a kind of change is about the project itself.
func OfProject(kind string) bool { return isOfProject(kind) }

// Newest returns what has happened last in a project as far as the caller may see it now,
// the newest first, with the cursor to go on from; empty: that was all that is kept. It
// looks through a bounded number of changes: there may be a cursor and nothing found.
func Newest(ctx context.Context, store Events, at storage.Place, narrow Narrow, after string) ([]Change, string,
	error) {
	for range sparsePages {
		events, next, err := narrow.page(ctx, store, at.Project.ID, after)
		if err != nil {
			return nil, "", err
		}
		found, err := narrow.seen(ctx, store, at, events)
		if err != nil || len(found) > 0 || next == "" {
			return found, next, err
		}
		after = next
	}
	return nil, after, nil
}

// seen are those of the events that are asked for and that the caller may see.
func (n Narrow) seen(ctx context.Context, store Events, at storage.Place, events []storage.Event) ([]Change, error) {
	var asked []storage.Event
	for _, e := range events {
		if n.keeps(e) {
			asked = append(asked, e)
		}
	}
	s, err := lookAt(ctx, store, at, asked)
	if err != nil {
		return nil, err
	}
	var found []Change
	for _, e := range s.keep(asked) {
		c := Change{Event: e}
		if isContent(e.Kind) {
			c.About = s.found[subjectOf(e, s.folders[e.Subject])]
		}
		if c.About.Folder.ID != "" && access.MayReadFound(s.place, c.About, shape.TypeFolders) != nil {
			c.About = storage.Found{}
		}
		found = append(found, c)
	}
	return found, nil
}
