package sqlstore

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

type eventRow struct {
	Seq       int64   `db:"seq"`
	Position  int64   `db:"position"`
	Kind      string  `db:"kind"`
	Subject   string  `db:"subject"`
	HubID     string  `db:"hub_id"`
	ProjectID string  `db:"project_id"`
	FolderID  string  `db:"folder_id"`
	At        instant `db:"at"`
	ActorKind string  `db:"actor_kind"`
	ActorID   string  `db:"actor_id"`
	RequestID string  `db:"request_id"`
	Address   string  `db:"address"`
	ClientID  string  `db:"client_id"`
	UserID    string  `db:"user_id"`
	OnBehalf  bool    `db:"on_behalf"`
	Data      string  `db:"data"`
}

const (
	insertEvent = `
INSERT INTO events (kind, subject, hub_id, project_id, folder_id, at, actor_kind, actor_id, request_id, address,
	client_id, user_id, on_behalf, data)
VALUES (:kind, :subject, :hub_id, :project_id, :folder_id, :at, :actor_kind, :actor_id, :request_id, :address,
	:client_id, :user_id, :on_behalf, :data)`

	selectEvents = `
SELECT seq, coalesce(position, 0) AS position, kind, subject, hub_id, project_id, folder_id, at,
	actor_kind, actor_id, request_id, address, client_id, user_id, on_behalf, data
FROM events`
)

func (r eventRow) record() storage.Event {
	return storage.Event{
		Seq: r.Seq, Position: r.Position, Kind: r.Kind, Subject: r.Subject,
		HubID: r.HubID, ProjectID: r.ProjectID, FolderID: r.FolderID,
		Act: storage.Act{
			At: r.At.Time, Actor: storage.Actor{Kind: storage.ActorKind(r.ActorKind), ID: r.ActorID},
			RequestID: r.RequestID, Address: r.Address,
		},
		Caller: storage.Caller{ClientID: r.ClientID, UserID: r.UserID, OnBehalf: r.OnBehalf},
		Data:   r.Data,
	}
}

// where is what an event happened to, and where.
type where struct {
	subject, hub, project, folder string
}

// tell writes an event as part of the transaction. A nil detail says nothing
// more. It comes last in an act: the row it is about is locked by then, so
// events of one thing are numbered in the order in which they happened.
func (t tx) tell(ctx context.Context, change storage.Change, kind string, place where, more detail) error {
	row := eventRow{
		Kind: kind, Subject: place.subject, HubID: place.hub, ProjectID: place.project, FolderID: place.folder,
		At: at(change.At), ActorKind: string(change.Actor.Kind), ActorID: change.Actor.ID,
		RequestID: change.RequestID, Address: change.Address,
		ClientID: change.Caller.ClientID, UserID: change.Caller.UserID, OnBehalf: change.Caller.OnBehalf,
	}
	if more != nil {
		text, err := json.Marshal(more)
		if err != nil {
			return err
		}
		row.Data = string(text)
	}
	_, err := t.exec(ctx, insertEvent, row)
	return err
}

// ListEvents implements storage.EventStore. The cursor is the number of the
// last event.
func (s *Store) ListEvents(ctx context.Context, query storage.EventQuery, page storage.PageRequest) ([]storage.Event, string, error) {
	limit, err := pageLimit(page)
	if err != nil {
		return nil, "", err
	}
	f := narrowed(query)
	if page.After != "" {
		seq, err := strconv.ParseInt(page.After, 10, 64)
		if err != nil {
			return nil, "", fault.New(fault.Invalid, "", "The cursor is none that a page of events ends with.")
		}
		f.add("seq < " + f.bind(seq))
	}
	var rows []eventRow
	text := selectEvents + f.clause() + "\nORDER BY seq DESC LIMIT " + f.bind(limit+1)
	if err := s.reader.list(ctx, &rows, text, f.args); err != nil {
		return nil, "", asFault(err)
	}
	rows, next := cutPage(rows, limit, func(r eventRow) string { return strconv.FormatInt(r.Seq, 10) })
	return records(rows, eventRow.record), next, nil
}

// narrowed keeps the events that were asked for. The conditions on project_id
// are those of the indexes: without that of the projects, what happened to one
// thing is looked up by its own.
func narrowed(query storage.EventQuery) *filter {
	f := newFilter()
	if query.HubID != "" {
		f.add("hub_id = " + f.bind(query.HubID) + " AND project_id = ''")
	}
	if query.ProjectID != "" {
		f.add("project_id = " + f.bind(query.ProjectID))
	}
	if query.ProjectID != "" && query.Subject == "" {
		f.add("project_id <> ''")
	}
	if query.Subject != "" {
		f.add("subject = " + f.bind(query.Subject))
	}
	if strings.HasSuffix(query.Kind, ".") {
		f.add(f.compare("kind", storage.OpStarts, query.Kind))
	} else if query.Kind != "" {
		f.add("kind = " + f.bind(query.Kind))
	}
	if query.ActorID != "" {
		f.add("actor_id = " + f.bind(query.ActorID))
	}
	return f
}

// ListStamped implements storage.EventStore.
func (s *Store) ListStamped(ctx context.Context, after int64, limit int) ([]storage.Event, error) {
	limit, err := pageLimit(storage.PageRequest{Limit: limit})
	if err != nil {
		return nil, err
	}
	var rows []eventRow
	text := selectEvents + "\nWHERE position > :after ORDER BY position LIMIT :limit"
	err = s.reader.list(ctx, &rows, text, args{"after": after, "limit": limit})
	return records(rows, eventRow.record), asFault(err)
}
