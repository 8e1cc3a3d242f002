package feed

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/storage"
)

// What the feed tells of: content, and the project as everybody in it sees it.
// Who has rights is not for everybody, and objects are nothing before they are
// in a version.
func isContent(kind string) bool {
	family, _, _ := strings.Cut(kind, ".")
	return slices.Contains([]string{"folder", "item", "version", "ref", "link"}, family)
}

func isOfProject(kind string) bool {
	return slices.Contains([]string{
		storage.EventProjectCreated, storage.EventProjectUpdated, storage.EventProjectActivated,
		storage.EventProjectArchived, storage.EventProjectReopened, storage.EventProjectLoaded,
	}, kind)
}

// isSent reports whether an event is about something that was sent to people: those
// alone, who sent it and who administers the project are told of it.
func isSent(kind string) bool { return kind == storage.EventTransmittalSent }

// toldOfSent reports whether something was sent by, or to, whoever stands there, or is
// for them to administer.
func toldOfSent(s storage.Standing, e storage.Event) bool {
	if s.Everywhere() && s.Level() >= storage.LevelControl {
		return true
	}
	id := s.Caller.UserID
	return id != "" && (e.Caller.UserID == id || slices.Contains(dataOf(e).To, id))
}

// eventData is what of an event's data the feed needs.
type eventData struct {
	Number  int    `json:"number"`  // of a version
	Version int    `json:"version"` // that a link hangs on
	From    string `json:"from"`    // folder that something was moved out of, or end of a reference

	To    people `json:"to"`    // to whom something was sent,
	Title string `json:"title"` // and what it is called
}

// people are ids; a text in their place is another kind's.
type people []string

// UnmarshalJSON implements json.Unmarshaler.
func (p *people) UnmarshalJSON(text []byte) error {
	_ = json.Unmarshal(text, (*[]string)(p))
	return nil
}

func dataOf(e storage.Event) eventData {
	var data eventData
	_ = json.Unmarshal([]byte(e.Data), &data) // what doesn't fit is another kind's
	return data
}

// subjectOf returns the folder or item that an event of content is about.
func subjectOf(e storage.Event, isFolder bool) storage.End {
	if isFolder {
		return storage.End{FolderID: e.Subject}
	}
	return storage.End{ItemID: e.Subject}
}

// kindLeft is what the feed says of a folder that something has left which the
// caller can't see any more: it was hidden, or moved to where they can't look.
const kindLeft = "folder.changed"

// leftFrom returns the folder that the event took something out of, if it did.
func leftFrom(e storage.Event) string {
	switch {
	case isHiding(e.Kind):
		return e.FolderID
	case isMove(e.Kind):
		return dataOf(e).From
	}
	return ""
}

// Ends looks things up by many ids at once: see storage.EndStore.
type Ends interface {
	FindEnds(ctx context.Context, caller storage.Caller, projectID string, ends []storage.End) (storage.Place,
		[]storage.Found, error)
}

// lookAt finds what the caller sees now of the things that events are about.
func lookAt(ctx context.Context, store Ends, at storage.Place, events []storage.Event) (sight, error) {
	var ends []storage.End
	for _, e := range events {
		if !isContent(e.Kind) {
			continue
		}
		ends = append(ends, storage.End{FolderID: e.Subject}, storage.End{ItemID: e.Subject})
		if left := leftFrom(e); left != "" {
			ends = append(ends, storage.End{FolderID: left})
		}
	}
	s := sight{place: at, folders: map[string]bool{}}
	if len(events) == 0 {
		return s, nil
	}
	var err error
	if s.place, s.found, err = lookUp(ctx, store, at, ends); err != nil {
		return s, err
	}
	for end, f := range s.found {
		if end.FolderID != "" && f.Folder.ID != "" {
			s.folders[end.FolderID] = true
		}
	}
	return s, nil
}

// keep returns those of the events that the caller may see.
func (s sight) keep(events []storage.Event) []storage.Event {
	var seen []storage.Event
	for _, e := range events {
		if e, ok := s.see(e); ok {
			seen = append(seen, e)
		}
	}
	return seen
}

// sight is what the caller sees of the things that events are about.
type sight struct {
	place   storage.Place
	found   map[storage.End]storage.Found
	folders map[string]bool // which of the subjects are folders
}

// see returns the event as the caller may see it.
func (s sight) see(e storage.Event) (storage.Event, bool) {
	switch {
	case isOfProject(e.Kind):
		return e, true
	case isSent(e.Kind):
		return e, toldOfSent(s.place.Standing, e)
	case !isContent(e.Kind):
		return e, false
	case isPurge(e.Kind):
		return e, access.MayShowHidden(s.place.Standing) // it was hidden, and nobody knows where any more
	case s.reads(subjectOf(e, s.folders[e.Subject])):
		return e, true
	}
	left := leftFrom(e)
	e.Kind, e.Subject = kindLeft, left
	return e, left != "" && s.reads(storage.End{FolderID: left})
}

func (s sight) reads(end storage.End) bool {
	return access.MayReadFound(s.place, s.found[end], shape.TypeFolders) == nil
}

func isMove(kind string) bool {
	return kind == storage.EventFolderMoved || kind == storage.EventItemMoved
}

func isHiding(kind string) bool {
	return kind == storage.EventFolderHidden || kind == storage.EventItemHidden
}

func isPurge(kind string) bool {
	return kind == storage.EventFolderPurged || kind == storage.EventItemPurged
}

// lookUp is FindEnds for any number of things, also for none. The caller must still have
// a part in the project: what is about no thing in it is for who has.
func lookUp(ctx context.Context, store Ends, at storage.Place,
	ends []storage.End) (storage.Place, map[storage.End]storage.Found, error) {
	all := map[storage.End]storage.Found{}
	for _, end := range ends {
		all[end] = storage.Found{}
	}
	ends = ends[:0]
	for end := range all {
		ends = append(ends, end)
	}
	for first := true; first || len(ends) > 0; first = false {
		some := ends[:min(len(ends), storage.MaxEnds)]
		ends = ends[len(some):]
		place, found, err := store.FindEnds(ctx, at.Standing.Caller, at.Project.ID, some)
		if err != nil {
			return at, nil, err
		}
		if err := access.Enter(place); err != nil {
			return at, nil, err
		}
		at = place
		for i, f := range found {
			all[some[i]] = f
		}
	}
	return at, all, nil
}
