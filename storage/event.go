package storage

import (
	"context"
	"time"
)

// Event is a change that has happened: what audit, webhooks and the change feed
// are made of.
type Event struct {
	Seq       int64  // grows, but may be seen out of order
	Position  int64  // gap-free but for a restore, and final; 0: not stamped yet
	Kind      string // such as "folder.moved"
	Subject   string // id of what was changed: a uid, hub id, project id, group id
	HubID     string
	ProjectID string // empty: of the hub itself
	FolderID  string // uid of the folder whose readers it concerns; empty: none
	Act       Act
	Caller    Caller // the client, and the user acted for
	Data      string // JSON object; may be empty
}

// The kinds of events. Data is given behind each; ids in it are uids.
const (
	EventHubCreated     = "hub.created" // name
	EventHubUpdated     = "hub.updated" // name
	EventHubActivated   = "hub.activated"
	EventHubDeactivated = "hub.deactivated"

	EventProjectCreated     = "project.created" // name
	EventProjectUpdated     = "project.updated" // name
	EventProjectActivated   = "project.activated"
	EventProjectDeactivated = "project.deactivated"
	EventProjectArchived    = "project.archived"
	EventProjectReopened    = "project.reopened"
	EventProjectLoaded      = "project.loaded"  // folders, items: how many
	EventProjectNaming      = "project.naming"  // fields: of how many parts its files' names are; 0: no rule
	EventProjectLimited     = "project.limited" // quota, max_object: bytes, 0: none

	EventMemberSet     = "member.set" // admin; the subject is the user
	EventMemberRemoved = "member.removed"
	EventGroupCreated  = "group.created" // name
	EventGroupRenamed  = "group.renamed" // name
	EventGroupDeleted  = "group.deleted"
	EventGroupJoined   = "group.joined" // user
	EventGroupLeft     = "group.left"   // user
	EventAppSet        = "app.set"      // level, users; the subject is the client
	EventAppWithdrawn  = "app.withdrawn"
	EventGrantSet      = "grant.set"     // user or group, level; the subject is the folder
	EventGrantRemoved  = "grant.removed" // user or group

	EventFolderCreated  = "folder.created" // name, parent
	EventFolderRenamed  = "folder.renamed" // from, to
	EventFolderMoved    = "folder.moved"   // from, to: folders
	EventFolderHidden   = "folder.hidden"
	EventFolderRestored = "folder.restored"
	EventFolderUpdated  = "folder.updated" // the extension's data
	EventFolderPurged   = "folder.purged"  // name

	EventItemCreated    = "item.created" // name
	EventItemRenamed    = "item.renamed" // from, to
	EventItemMoved      = "item.moved"   // from, to: folders
	EventItemHidden     = "item.hidden"
	EventItemRestored   = "item.restored"
	EventItemUpdated    = "item.updated"      // the extension's data
	EventItemReserved   = "item.reserved"     // user, until
	EventItemReleased   = "item.released"     // user
	EventItemPurged     = "item.purged"       // name
	EventVersionAdded   = "version.added"     // number, name; deletes: it deletes the item, the subject
	EventVersionNamed   = "version.renamed"   // number, from, to; the subject is the item
	EventVersionState   = "version.state_set" // number, state, suitability, revision; the subject is the item
	EventObjectMade     = "object.reserved"   // the subject is bucket/key
	EventObjectStored   = "object.stored"     // size
	EventObjectInfected = "object.infected"   // finding: what a scan for viruses found
	EventObjectDropped  = "object.dropped"    // by the sweep: no version had it

	// Those who sent it, and to whom it was sent, are told of it; the subject is its number.
	EventTransmittalSent = "transmittal.sent" // title, versions: how many; to: ids of people

	EventRefAdded    = "ref.added"    // type, to: what it runs to; the subject is what it runs from
	EventRefRemoved  = "ref.removed"  // likewise
	EventLinkAdded   = "link.added"   // link; the subject is what it hangs on
	EventLinkRemoved = "link.removed" // likewise

	EventWebhookCreated = "webhook.created" // url
	EventWebhookDeleted = "webhook.deleted" // url

	// Of twins, whose events are the hub's; the subject is the facility.
	EventTwinCreated       = "twin.created"        // name
	EventTwinUpdated       = "twin.updated"        // name
	EventTwinMemberSet     = "twin.member_set"     // user, access
	EventTwinMemberRemoved = "twin.member_removed" // user
	EventTwinModelCreated  = "twin.model_created"  // model, label
	EventTwinMutated       = "twin.mutated"        // model, mutation: its number
	EventTwinUndone        = "twin.undone"         // mutation, undoes: numbers

	// Of documents; the subject is the facility. document is the uid, version
	// that of the original.
	EventDocumentImported = "twin.document_imported" // document, name, version
	EventDocumentUpdated  = "twin.document_updated"  // document, version
	EventDocumentChanged  = "twin.document_changed"  // document
	EventDocumentState    = "twin.document_state"    // document, state, newest: a version
	EventDocumentDeleted  = "twin.document_deleted"  // document, name
)

// EventQuery narrows a list of events; empty fields keep everything.
type EventQuery struct {
	HubID     string // the hub's own events, not those of its projects
	ProjectID string
	Subject   string
	Kind      string // with a dot at the end: all kinds that begin so
	ActorID   string // who made the change
}

// EventsIn are those of a project that somebody looks for; empty fields keep everything.
type EventsIn struct {
	ProjectID string
	FolderID  string // of the folder, of what lies anywhere below it now, and of what was moved out of there
	UserID    string // by whose rights it was done
	Window    int    // how many events are looked through for a page; 0: EventWindow
}

// EventWindow is how many events of a project are looked through for a page of those that
// somebody looks for, unless they say otherwise.
const EventWindow = 2000

// KeepEvents is how long events are kept.
const KeepEvents = 90 * 24 * time.Hour

// ReasonCursorGone is the reason of the Gone fault for a position that nobody
// can go on from.
const ReasonCursorGone = "cursor_gone"

// EventStore reads what changes have written.
type EventStore interface {
	// ListEvents returns a page of events, newest first by Seq, and the next
	// cursor.
	ListEvents(ctx context.Context, query EventQuery, page PageRequest) ([]Event, string, error)

	// ListEventsIn returns a page of the events that are looked for, newest first
	// by Seq, and the next cursor. Of those that are looked through none may be among them:
	// then the page is short, even empty, and the cursor goes on from there.
	ListEventsIn(ctx context.Context, in EventsIn, page PageRequest) ([]Event, string, error)

	// StampEvents gives the next positions to at most limit events, in the order
	// of Seq, and returns how many; fewer than limit means done for now. What is
	// committed late gets a late position, so that nobody who goes by positions
	// misses it, and of two changes of one thing the first gets the lower. Any
	// number may run at once.
	StampEvents(ctx context.Context, limit int) (int, error)

	// ListChanges returns the project's events behind a position, oldest first
	// by Position, at most limit (1 to 200), and the position to go on from.
	// Events without a position are not there yet. Gone (ReasonCursorGone) when
	// events behind the position were forgotten, and for one that was never
	// given; 0 is before everything that is kept. None for an absent project.
	ListChanges(ctx context.Context, projectID string, after int64, limit int) ([]Event, int64, error)

	// ListStamped returns the events of everything behind a position, oldest
	// first by Position, at most limit (1 to 200). What was forgotten is left
	// out: the first position says so.
	ListStamped(ctx context.Context, after int64, limit int) ([]Event, error)

	// LastPosition returns the last position that was given; 0: none.
	LastPosition(ctx context.Context) (int64, error)

	// FindEpoch returns since when positions are counted as they are, in microseconds: the
	// time of the last restore, behind which they go on. 0: from the first event on.
	FindEpoch(ctx context.Context) (int64, error)

	// SweepEvents forgets at most limit events that are older than KeepEvents,
	// from the first position on, and returns how many; fewer than limit means
	// done for now. What has no position stays. What comes from a clock that was
	// ahead goes with what is behind it.
	SweepEvents(ctx context.Context, now time.Time, limit int) (int, error)
}
