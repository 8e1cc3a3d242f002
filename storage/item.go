package storage

import (
	"context"
	"time"
)

// ReservationLifetime is how long a reservation lasts.
const ReservationLifetime = 8 * time.Hour

// Facts of the fault with ReasonReserved: who has the item, and until when (RFC
// 3339, UTC).
const (
	FactHolder = "reservedUserId"
	FactUntil  = "reservedUntil"
)

// Item is a file: a line of versions under one id.
type Item struct {
	ID        string // 22 base64url characters
	ProjectID string
	FolderID  string // uid
	Name      string // displayName; unique among the visible items of its folder, by key
	Hidden    bool
	Tip       int // number of the newest version
	Extension Extension
	Revision  int64 // grows with each change of the item, a new version too
	Stamp

	// Set while reserved; it counts until ReservedUntil, which stays as the moment of a
	// release.
	ReservedBy    string
	ReservedAt    time.Time
	ReservedUntil time.Time
}

// ReservedFor reports who holds the item at a time: the user's id, or "".
func (i Item) ReservedFor(now time.Time) string {
	if !now.Before(i.ReservedUntil) {
		return ""
	}
	return i.ReservedBy
}

// ItemWithTip is an item and its newest version.
type ItemWithTip struct {
	Item Item
	Tip  Version
}

// ItemPatch says what to change of an item; nil fields stay.
type ItemPatch struct {
	Name          *string
	FolderID      *string
	Hidden        *bool
	ExtensionData *string
}

// ItemStore keeps items.
//
// Every act refuses an archived project, Locked (ReasonProjectArchived), and an
// item that another user has reserved, Locked (ReasonReserved, with its facts).
type ItemStore interface {
	// FindItem returns the item, hidden too, with its tip, its folder (whose
	// Visible counts for the item) and its place, in one query. The standing is
	// that in the folder. NotFound when there is no such item in that project.
	FindItem(ctx context.Context, caller Caller, projectID, itemID string) (Place, Folder, ItemWithTip, error)

	// CreateItem adds an item, of which ID, FolderID, Name and Extension are
	// taken, with its version 1. NotFound (ReasonParentAbsent and as
	// AddVersion); Conflict (ReasonNameTaken, ReasonParentHidden,
	// ReasonObjectUsed, or no reason for a taken id); Invalid
	// (ReasonObjectPending); Locked (ReasonProjectBusy).
	CreateItem(ctx context.Context, change Change, projectID string, item Item, first NewVersion) (ItemWithTip, error)

	// UpdateItem renames, moves, hides or restores the item, all at once or
	// not at all, and returns it. What is as it should be already is no change.
	// NotFound, also ReasonParentAbsent; Conflict (ReasonNameTaken;
	// ReasonParentHidden when it moves to a hidden folder); Locked
	// (ReasonProjectBusy).
	UpdateItem(ctx context.Context, change Change, projectID, itemID string, patch ItemPatch) (ItemWithTip, error)
}

// ReservationStore keeps who has reserved an item. Only a user can.
type ReservationStore interface {
	// ReserveItem reserves the item for Caller.UserID for ReservationLifetime;
	// doing it again makes it last longer. Locked (ReasonReserved) while
	// another user has it; Conflict (ReasonItemHidden); NotFound.
	ReserveItem(ctx context.Context, change Change, projectID, itemID string) (ItemWithTip, error)

	// ReleaseItem ends the caller's own reservation. Conflict
	// (ReasonNotReserved) when there is none; Locked (ReasonReserved) when it
	// is another user's; NotFound.
	ReleaseItem(ctx context.Context, change Change, projectID, itemID string) (ItemWithTip, error)

	// BreakReservation ends whoever's reservation: for administrators. Conflict
	// (ReasonNotReserved) when there is none; NotFound.
	BreakReservation(ctx context.Context, change Change, projectID, itemID string) (ItemWithTip, error)

	// ListReservations returns a page of the project's items that are reserved
	// at the time, ordered by item id, and the next cursor.
	ListReservations(ctx context.Context, projectID string, now time.Time, page PageRequest) ([]Item, string, error)
}
