package administration

import (
	"context"
	"strings"

	"github.com/portico-id/portico/dataapi/setup"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/storage"
)

// EventsWanted says which events to list: those of a project, or a hub's own,
// which are none of its projects'. Of what narrows, empty fields keep
// everything.
type EventsWanted struct {
	HubID     string // or ProjectID: one of them is needed
	ProjectID string
	Kind      string // such as folder.moved; "folder." for all that begin so
	Subject   string // an id, or a URN as SubjectName returns it
	ActorID   string
}

// ListEvents returns a page of what happened, newest first, and the next
// cursor. Invalid by field for what can't be asked for. None for an absent
// place.
func (a *Rules) ListEvents(ctx context.Context, wanted EventsWanted,
	page storage.PageRequest) ([]storage.Event, string, error) {
	var faults fault.List
	faults.Add(checkKind(wanted.Kind))
	subject, err := a.subjectID(wanted.Subject)
	faults.Add(err)
	if err := faults.Err(); err != nil {
		return nil, "", err
	}
	query := storage.EventQuery{
		HubID: wanted.HubID, ProjectID: wanted.ProjectID, Subject: subject, Kind: wanted.Kind, ActorID: wanted.ActorID,
	}
	events, next, err := a.store.ListEvents(ctx, query, page)
	if fault.Is(err, fault.Invalid) {
		err = fault.From(err).At(fieldAfter) // pages are of a size that fits
	}
	return events, next, err
}

const fieldAfter = "after" // where a page begins

var kindForm = pattern.Of(`^[a-z_]+\.[a-z_]*$`)

func checkKind(kind string) error {
	if kind == "" || kindForm().MatchString(kind) {
		return nil
	}
	return setup.Invalid(FieldKind, "The kind must look like folder.moved, or like folder. for all kinds that begin so.")
}

// SubjectName returns what the subject of the event is called outside: folders,
// items, twins and objects have URNs.
func (a *Rules) SubjectName(e storage.Event) string {
	family, _, _ := strings.Cut(e.Kind, ".")
	switch family {
	case "folder", "grant":
		return a.urn.Folder(e.Subject)
	case "item", "version":
		return a.urn.Item(e.Subject)
	case "twin":
		return a.urn.Twin(e.Subject)
	case "object":
		bucket, key, _ := strings.Cut(e.Subject, "/")
		return a.urn.Object(bucket, key)
	}
	return e.Subject
}

// subjectID reads a name that SubjectName returned; other ids stay.
func (a *Rules) subjectID(name string) (string, error) {
	if !strings.HasPrefix(name, "urn:") {
		return name, nil
	}
	for _, read := range []func(string) (string, bool){a.urn.FolderUID, a.urn.ItemUID, a.urn.TwinUID} {
		if uid, ok := read(name); ok {
			return uid, nil
		}
	}
	objects := strings.TrimSuffix(a.urn.Object("", ""), "/")
	if key, ok := strings.CutPrefix(name, objects); ok && strings.Contains(key, "/") {
		return key, nil
	}
	return "", setup.Invalid(FieldSubject, "The subject must be an id, or the URN of a folder, an item, a twin or an object.")
}
