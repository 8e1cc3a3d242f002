package storage

import "context"

// Version is one state of a file.
type Version struct {
	ItemID    string
	Number    int // from 1, without gaps
	Name      string
	MimeType  string
	FileType  string // lower-case ending of the name, without a dot
	Size      int64  // bytes
	Bucket    string // of the stored object; empty: no bytes
	ObjectKey string
	Extension Extension
	Revision  int64
	Stamp
}

// VersionRef names a version.
type VersionRef struct {
	ItemID string
	Number int
}

// NewVersion is a version to be added.
type NewVersion struct {
	Name      string // empty with CopyFrom: the source's
	MimeType  string
	FileType  string
	Extension Extension // an empty Type with CopyFrom: the source's

	Bucket    string // of the object with its bytes, whose type wins; empty: none
	ObjectKey string

	// CopyFrom takes bytes, MIME and file type from a version of the same
	// project, and what else is left empty.
	CopyFrom *VersionRef

	// Delete makes the version mark the item as deleted: the item is hidden.
	Delete bool

	// RenameItem gives the item the version's name as well.
	RenameItem bool
}

// VersionQuery narrows a list of versions; empty fields keep everything.
type VersionQuery struct {
	Numbers        []NumberCondition
	ExtensionTypes []TextCondition
	Data           []DataCondition
	Ascending      bool // oldest first
}

// VersionStore keeps versions.
type VersionStore interface {
	// FindVersion returns the version with its item and tip, its folder and its
	// place, in one query, as FindItem does. NotFound.
	FindVersion(ctx context.Context, caller Caller, projectID string, ref VersionRef) (Place, Folder,
		ItemWithTip, Version, error)

	// ListSums returns the SHA-256 of the bytes of an item's versions, by number,
	// of those from one number to another that have any.
	ListSums(ctx context.Context, projectID, itemID string, from, to int) (map[int][]byte, error)

	// ListVersions returns a page of the item's versions, newest first, and
	// the next cursor. None for an absent item.
	ListVersions(ctx context.Context, projectID, itemID string, query VersionQuery,
		page DataPage) ([]Version, string, error)

	// AddVersion adds the next version, which becomes the tip, and returns the
	// item with it. Numbers have no gap and no repetition whatever runs beside
	// it. A version of a hidden item is refused, Conflict (ReasonItemHidden),
	// except with CopyFrom, which restores the item. NotFound
	// (ReasonObjectAbsent, ReasonSourceAbsent, or no reason for the item);
	// Invalid (ReasonObjectPending); Conflict (ReasonObjectUsed;
	// ReasonNameTaken when RenameItem or restoring meets a taken name); Locked
	// (ReasonReserved, ReasonProjectArchived, ReasonProjectBusy).
	AddVersion(ctx context.Context, change Change, projectID, itemID string, version NewVersion) (ItemWithTip, error)

	// RenameVersion changes the version's name, and returns it. NotFound;
	// Locked as AddVersion.
	RenameVersion(ctx context.Context, change Change, projectID string, ref VersionRef, name string) (Version, error)
}
