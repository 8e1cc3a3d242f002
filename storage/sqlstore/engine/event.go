package engine

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
	At        Instant `db:"at"`
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

// Where is what an event happened to, and where.
type Where struct {
	Subject, Hub, Project, Folder string
}

// Tell writes an event as part of the transaction. A nil detail says nothing
// more. It comes last in an act: the row it is about is locked by then, so
// events of one thing are numbered in the order in which they happened.
func (t Tx) Tell(ctx context.Context, change storage.Change, kind string, place Where, more Detail) error {
	row := eventRow{
		Kind: kind, Subject: place.Subject, HubID: place.Hub, ProjectID: place.Project, FolderID: place.Folder,
		At: At(change.At), ActorKind: string(change.Actor.Kind), ActorID: change.Actor.ID,
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
	_, err := t.Exec(ctx, insertEvent, row)
	return err
}

// ListEvents implements storage.EventStore. The cursor is the number of the
// last event.
func (s Journal) ListEvents(ctx context.Context, query storage.EventQuery, page storage.PageRequest) ([]storage.Event, string, error) {
	limit, err := PageLimit(page)
	if err != nil {
		return nil, "", err
	}
	f := narrowed(query)
	if page.After != "" {
		seq, err := strconv.ParseInt(page.After, 10, 64)
		if err != nil {
			return nil, "", fault.New(fault.Invalid, "", "The cursor is none that a page of events ends with.")
		}
		f.Add("seq < " + f.Bind(seq))
	}
	var rows []eventRow
	text := selectEvents + f.Clause() + "\nORDER BY seq DESC LIMIT " + f.Bind(limit+1)
	if err := s.db.List(ctx, &rows, text, f.Args); err != nil {
		return nil, "", AsFault(err)
	}
	rows, next := CutPage(rows, limit, func(r eventRow) string { return strconv.FormatInt(r.Seq, 10) })
	return Records(rows, eventRow.record), next, nil
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
	var rows []eventRow
	text := selectEvents + "\nWHERE position > :after ORDER BY position LIMIT :limit"
	err = s.db.List(ctx, &rows, text, Args{"after": after, "limit": limit})
	return Records(rows, eventRow.record), AsFault(err)
}
