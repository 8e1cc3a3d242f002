package storage

import (
	"context"
	"time"
)

// End is what references and links hang on: a folder, an item or a version.
type End struct {
	FolderID string // uid; empty: an item or a version
	ItemID   string // uid
	Version  int    // of the item; 0: the item itself
}

// Ref is a custom relationship. It runs from one end to another of the same
// project; there is one of a type between them.
type Ref struct {
	From      End
	To        End
	Extension Extension // what is before the first colon of its type is the kind of reference
	CreatedAt time.Time
	CreatedBy string // id of a user or service account; empty: an app by itself
}

// Other returns the end that is not the given one, and whether the reference
// runs from the given one.
func (r Ref) Other(asked End) (other End, outward bool) {
	if r.From == asked {
		return r.To, true
	}
	return r.From, false
}

// ReasonSameEnd is the reason of the Invalid fault for a reference of a thing to
// itself.
const ReasonSameEnd = "same_end"

// RefQuery narrows the references of an end; empty fields keep everything.
type RefQuery struct {
	NoOutward      bool // leave out those that run from the end asked for
	NoInward       bool // and those that run to it
	NoFolders      bool // by what is at the other end
	NoItems        bool
	NoVersions     bool
	ByEnd          bool // keep only those with one of Ends at the other end
	Ends           []End
	ExtensionTypes []TextCondition
}

// RefStore keeps references. They go with either end.
type RefStore interface {
	// ListRefs returns a page of the references from and to the end, in the
	// order in which they were made, and the next cursor. None for an absent
	// end. It knows no rights: what the caller may see of the other ends is
	// for FindEnds to tell.
	ListRefs(ctx context.Context, projectID string, end End, query RefQuery, page PageRequest) ([]Ref, string, error)

	// AddRefs adds references that run from the end, all or none; From is not
	// taken from them. What is there already stays as it is. NotFound, also
	// for an absent other end; Invalid (ReasonSameEnd); Locked
	// (ReasonProjectArchived, ReasonProjectBusy).
	AddRefs(ctx context.Context, change Change, projectID string, from End, refs []Ref) error

	// RemoveRefs removes references, named by From, To and Extension.Type. What
	// is not there is no change. Locked as AddRefs.
	RemoveRefs(ctx context.Context, change Change, projectID string, refs []Ref) error
}

// Found is one of the things that were looked for. The zero Found is absent.
type Found struct {
	Folder  Folder      // the thing, or where it lies
	Item    ItemWithTip // zero for a folder
	Version Version     // zero unless it is one
	Granted Level       // as in Standing: highest on Folder or above
}

// MaxEnds is how many things FindEnds looks for at once.
const MaxEnds = 200

// EndStore looks things up by many ids at once.
type EndStore interface {
	// FindEnds returns what each of the ends is, hidden ones too, in their
	// order, and the project with the caller's standing in it, of which Granted
	// is that of no folder. NotFound for an absent project; Invalid for more
	// than MaxEnds.
	FindEnds(ctx context.Context, caller Caller, projectID string, ends []End) (Place, []Found, error)
}

// Link leads from a folder, an item or a version to an address elsewhere.
type Link struct {
	ID        string // UUID
	Href      string
	MimeType  string // of what is there; may be empty
	Extension Extension
	CreatedAt time.Time
	CreatedBy string // as of a Ref
}

// LinkStore keeps links. They go with what they hang on.
type LinkStore interface {
	// ListLinks returns a page of the links of a thing, in the order in which
	// they were made, and the next cursor. None for an absent thing.
	ListLinks(ctx context.Context, projectID string, of End, page PageRequest) ([]Link, string, error)

	// AddLinks adds links, all or none. NotFound for an absent thing; Conflict
	// for a taken id; Locked (ReasonProjectArchived, ReasonProjectBusy).
	AddLinks(ctx context.Context, change Change, projectID string, of End, links []Link) error

	// RemoveLinks removes links of a thing by their ids. What is not there is
	// no change. Locked as AddLinks.
	RemoveLinks(ctx context.Context, change Change, projectID string, of End, ids []string) error

	// FindLinks returns those of the thing's links that have the ids, in the
	// order in which they were made.
	FindLinks(ctx context.Context, projectID string, of End, ids []string) ([]Link, error)
}
