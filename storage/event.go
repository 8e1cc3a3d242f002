package storage

import "context"

// Event is a change that has happened: what audit, webhooks and the change feed
// are made of.
type Event struct {
	Seq       int64  // grows, but may be seen out of order
	Position  int64  // gap-free and final; 0: not stamped yet
	Kind      string // such as "folder.moved"
	Subject   string // id of what was changed: a uid, hub id, project id, group id
	HubID     string
	ProjectID string // empty: of the hub itself
	FolderID  string // uid of the folder whose readers it concerns; empty: none
	Act       Act
	Caller    Caller // the client, and the user acted for
	Data      string // JSON object; may be empty
}

// EventQuery narrows a list of events; empty fields keep everything.
type EventQuery struct {
	HubID     string
	ProjectID string
	Subject   string
}

// EventStore reads what changes have written.
type EventStore interface {
	// ListEvents returns a page of events, newest first by Seq, and the next
	// cursor.
	ListEvents(ctx context.Context, query EventQuery, page PageRequest) ([]Event, string, error)
}
