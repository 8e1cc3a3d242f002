// Package transmittal is what is sent to people of a project: a numbered letter with
// a list of versions as they were then, for whom it was, and who has fetched what;
// and the operations on it under /files/v1.
//
// Nothing of it changes once it is sent, and it gives nobody a right: the files stay
// behind the rights that their reader has where they lie. Start at Rules.Send and
// Rules.Find.
package transmittal

import (
	"context"
	"net/http"
	"slices"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Store is what Rules keep and read.
type Store interface {
	storage.TransmittalStore
	storage.EndStore
	FindObject(ctx context.Context, bucket, key string) (storage.Object, error)
	FindUser(ctx context.Context, id string) (storage.User, error)
	ListNames(ctx context.Context, ids []string) (map[string]string, error)
}

// People finds those who are named: *administration.Rules.
type People interface {
	Person(ctx context.Context, handle string) (string, error)
	FindGroup(ctx context.Context, hubID, handle string) (storage.Group, error)
	ListGroupMembers(ctx context.Context, group storage.Group) ([]string, error)
}

// Post makes mails of letters: provider/outbox.
type Post interface {
	Mail(userID, to string, letter templates.Letter) storage.Mail
}

// Bytes give the bytes of an object to those who may read them: *objects.Handler.
type Bytes interface {
	Look(w http.ResponseWriter, r *http.Request, who storage.Caller, object storage.Object, inline bool) error
}

// Packer makes ZIP files of versions: *archive.Rules.
type Packer interface {
	PackVersions(ctx context.Context, who storage.Caller, projectID, name string,
		files []storage.PackedFile) (storage.Archive, error)
}

// Options are what Rules are made of. What gives bytes and archives, and Post, is
// needed by servers alone.
type Options struct {
	Store   Store
	Rights  access.Finder
	People  People
	Post    Post // nil: nobody gets mails
	Bytes   Bytes
	Packer  Packer
	Ambient *ambient.Source
	BaseURL string
}

// Rules are who sends what to whom, and who sees it. They are safe for concurrent
// use.
type Rules struct{ with Options }

// New returns Rules.
func New(o Options) *Rules { return &Rules{o} }

// Fate is what has become of a version that was sent, for whoever asks.
type Fate string

// The fates. Whoever can't look into its folder learns no more than that.
const (
	There   Fate = "available"
	Hidden  Fate = "hidden"
	Deleted Fate = "deleted"
	Closed  Fate = "no_access"
)

// Line is a version of a transmittal.
type Line struct {
	storage.SentVersion
	Now   Fate
	Takes bool // the reader may have the bytes
}

// Seen is a transmittal as its reader sees it.
type Seen struct {
	storage.Transmittal
	Place storage.Place
	Lines []Line
	To    []storage.SentTo
}

// Mine reports whether it was sent to whoever reads it.
func (s Seen) Mine() bool {
	return slices.ContainsFunc(s.To, func(to storage.SentTo) bool { return to.UserID == s.Place.Standing.Caller.UserID })
}

// administers reports whether the caller sees all that was sent in the project.
func administers(s storage.Standing) bool { return s.Everywhere() && s.Level() >= storage.LevelControl }

func (r *Rules) project(ctx context.Context, who storage.Caller, id string) (storage.Place, error) {
	place, err := r.with.Rights.Store.FindProject(ctx, who, id)
	if err != nil {
		return place, fault.OrAbsent(err, "project")
	}
	return place, access.Enter(place)
}

// List returns a page of what the caller sent or was sent, or, to who administers
// the project, of all; the newest first, and the next cursor.
func (r *Rules) List(ctx context.Context, who storage.Caller, projectID string,
	page storage.PageRequest) (storage.Place, []storage.Transmittal, string, error) {
	place, err := r.project(ctx, who, projectID)
	if err != nil {
		return place, nil, "", err
	}
	reader := who.UserID
	if administers(place.Standing) {
		reader = ""
	} else if reader == "" { // an app by itself, which is nobody's addressee
		return place, nil, "", nil
	}
	all, next, err := r.with.Store.ListTransmittals(ctx, projectID, reader, page)
	return place, all, next, err
}

// Find returns a transmittal to who sent it, to whom it was sent, and to who
// administers the project. NotFound for everybody else.
func (r *Rules) Find(ctx context.Context, who storage.Caller, projectID string, number int) (Seen, error) {
	place, err := r.project(ctx, who, projectID)
	if err != nil {
		return Seen{}, err
	}
	t, versions, to, err := r.with.Store.FindTransmittal(ctx, projectID, number)
	seen := Seen{Transmittal: t, Place: place, To: to}
	if err == nil && !administers(place.Standing) && !(who.UserID != "" && t.SentBy == who.UserID) && !seen.Mine() {
		err = fault.Absent("transmittal")
	}
	if err != nil {
		return Seen{}, fault.OrAbsent(err, "transmittal")
	}
	seen.Lines, err = r.lines(ctx, who, projectID, versions)
	return seen, err
}

// lines are versions with what has become of them.
func (r *Rules) lines(ctx context.Context, who storage.Caller, projectID string,
	versions []storage.SentVersion) ([]Line, error) {
	refs := make([]storage.VersionRef, len(versions))
	for i, v := range versions {
		refs[i] = v.VersionRef
	}
	place, found, err := r.look(ctx, who, projectID, refs)
	if err != nil {
		return nil, err
	}
	lines := make([]Line, len(versions))
	for i, f := range found {
		level := access.At(place, f).Standing.Level()
		lines[i] = Line{SentVersion: versions[i], Now: There, Takes: level >= storage.LevelDownload}
		switch {
		case f.Folder.ID == "":
			lines[i].Now = Deleted
		case level < storage.LevelView:
			lines[i].Now = Closed
		case f.Item.Item.Hidden || !f.Folder.Visible:
			lines[i].Now = Hidden
		}
		lines[i].Takes = lines[i].Takes && lines[i].Now == There
	}
	return lines, nil
}

// look finds any number of versions.
func (r *Rules) look(ctx context.Context, who storage.Caller, projectID string,
	refs []storage.VersionRef) (place storage.Place, all []storage.Found, err error) {
	for some := range slices.Chunk(refs, storage.MaxEnds) {
		ends := make([]storage.End, len(some))
		for i, ref := range some {
			ends[i] = storage.End{ItemID: ref.ItemID, Version: ref.Number}
		}
		var found []storage.Found
		if place, found, err = r.with.Store.FindEnds(ctx, who, projectID, ends); err != nil {
			return place, nil, err
		}
		all = append(all, found...)
	}
	return place, all, nil
}
