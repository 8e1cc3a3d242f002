package engine

import (
	"context"
	"strings"

	"github.com/portico-id/portico/storage"
)

// eventRow is an event whose act and caller have no column names of their own.
type eventRow struct {
	storage.Event
	storage.Act
	storage.Caller
}

const (
	eventColumns = `kind, subject, hub_id, project_id, folder_id, at, actor_kind, actor_id, request_id, address,
	client_id, user_id, on_behalf, data`

	selectEvents = `
SELECT seq, coalesce(position, 0) AS position, ` + eventColumns + `
FROM events`

	selectStamped = selectEvents + `
WHERE position > :after ORDER BY position LIMIT :limit`
)

var insertEvent = Insert("events", eventColumns)

func (r eventRow) record() storage.Event {
	r.Event.Act, r.Event.Caller = r.Act, r.Caller
	return r.Event
}

// Where is what an event happened to, and where.
type Where struct {
	Subject, Hub, Project, Folder string
}

// Tell writes an event as part of the transaction, and keeps the mails of the change
// with it. A nil detail says nothing more. It comes last in an act: the row it is about is locked by then, so
// events of one thing are numbered in the order in which they happened.
func (t Tx) Tell(ctx context.Context, change storage.Change, kind string, place Where, more Detail) error {
	data, err := more.text()
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, insertEvent, eventRow{storage.Event{
		Kind: kind, Subject: place.Subject, HubID: place.Hub, ProjectID: place.Project, FolderID: place.Folder, Data: data,
	}, change.Act, change.Caller})
	if err != nil {
		return err
	}
	return t.post(ctx, change.Act)
}

// ListEvents implements storage.EventStore. The cursor is the number of the
// last event.
func (s Journal) ListEvents(ctx context.Context, query storage.EventQuery,
	page storage.PageRequest) ([]storage.Event, string, error) {
	f := narrowed(query)
	f.Add("seq < :before")
	text := selectEvents + f.Clause() + "\nORDER BY seq DESC LIMIT :limit"
	rows, next, err := PageBack(ctx, s.db, page, text, f.Args, func(r eventRow) int64 { return r.Seq })
	return Records(rows, eventRow.record), next, err
}

// narrowed keeps the events that were asked for. The conditions on project_id
// are those of the indexes: without that of the projects, what happened to one
// thing is looked up by its own.
func narrowed(query storage.EventQuery) *Filter {
	f := NewFilter()
	if query.HubID != "" {
		f.Add("hub_id = " + f.Bind(query.HubID) + " AND project_id = ''")
	}
	if query.ProjectID != "" {
		f.Add("project_id = " + f.Bind(query.ProjectID))
	}
	if query.ProjectID != "" && query.Subject == "" {
		f.Add("project_id <> ''")
	}
	if query.Subject != "" {
		f.Add("subject = " + f.Bind(query.Subject))
	}
	if strings.HasSuffix(query.Kind, ".") {
		f.Add(f.Compare("kind", storage.OpStarts, query.Kind))
	} else if query.Kind != "" {
		f.Add("kind = " + f.Bind(query.Kind))
	}
	if query.ActorID != "" {
		f.Add("actor_id = " + f.Bind(query.ActorID))
	}
	return f
}

// ListStamped implements storage.EventStore.
func (s Journal) ListStamped(ctx context.Context, after int64, limit int) ([]storage.Event, error) {
	limit, err := PageLimit(storage.PageRequest{Limit: limit})
	if err != nil {
		return nil, err
	}
	rows, err := All[eventRow](ctx, s.db, selectStamped, Args{"after": after, "limit": limit})
	return Records(rows, eventRow.record), err
}
