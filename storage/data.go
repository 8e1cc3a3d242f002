package storage

import (
	"context"
	"time"
)

// Change is an Act in the data half: besides who makes it, it says by whose
// rights. What it creates belongs to Caller.UserID. Every change writes its
// Event in its own transaction; one that is refused or changes nothing writes
// none.
type Change struct {
	Act
	Caller Caller

	// Seen, when not zero, is the Revision of the folder, item or version to be
	// changed as the caller knows it: PreconditionFailed (ReasonChanged) when
	// it is another by now.
	Seen int64

	// Once lets a change that creates something happen only once.
	Once Once
}

// Extension is the typed part of a resource.
type Extension struct {
	Type    string // such as items:portico.core:File
	Version string // such as 1.0
	Data    string // JSON object; may be empty
}

// Stamp says when something was created and last changed itself, and by whom:
// ids of users or service accounts, empty when an app did it by itself.
type Stamp struct {
	CreatedAt  time.Time
	CreatedBy  string
	ModifiedAt time.Time
	ModifiedBy string
}

// Reasons of the faults of the data half, beside ReasonNameTaken (Conflict).
const (
	ReasonTooDeep         = "too_deep"         // Invalid: below MaxDepth
	ReasonCycle           = "cycle"            // Invalid: into itself or a descendant
	ReasonRootFolder      = "root_folder"      // Invalid: the hidden root stays as it is
	ReasonFilesFolder     = "files_folder"     // Forbidden: "Project Files" keeps its name and place
	ReasonParentAbsent    = "parent_absent"    // NotFound: no such folder in the project
	ReasonParentHidden    = "parent_hidden"    // Conflict: the folder, or one above, is hidden
	ReasonProjectBusy     = "project_busy"     // Locked: a move is under way; RetryAfter is set
	ReasonBusy            = "busy"             // Unavailable: others write; RetryAfter is set
	ReasonProjectArchived = "project_archived" // Locked: nothing changes in it
	ReasonReserved        = "reserved"         // Locked: somebody else has reserved the item
	ReasonNotReserved     = "not_reserved"     // Conflict: nobody has, or somebody else
	ReasonItemHidden      = "item_hidden"      // Conflict: the item is deleted
	ReasonObjectAbsent    = "object_absent"    // NotFound: no such object in the project
	ReasonObjectPending   = "object_pending"   // Invalid: its bytes were not uploaded
	ReasonObjectUsed      = "object_used"      // Conflict: another item's version has it
	ReasonSourceAbsent    = "source_absent"    // NotFound: no such version in the project to copy from
	ReasonChanged         = "changed"          // PreconditionFailed: not as Seen
	ReasonUserAbsent      = "user_absent"      // NotFound: no such user or service account
	ReasonGroupAbsent     = "group_absent"     // NotFound: no such group in the hub
	ReasonClientAbsent    = "client_absent"    // NotFound: no such client
)

// DataPage asks for one page of a list, by its cursor or by its number.
type DataPage struct {
	After  string // cursor from the page before, for the same query; wins over Number
	Number int    // 0-based
	Limit  int    // 1 to 200; 0 means 200
}

// Op compares a value with others.
type Op string

// The comparisons. Text compares by bytes.
const (
	OpEqual    Op = "eq"
	OpLess     Op = "lt"
	OpAtMost   Op = "le"
	OpAtLeast  Op = "ge"
	OpMore     Op = "gt"
	OpStarts   Op = "starts" // text only
	OpEnds     Op = "ends"   // text only
	OpContains Op = "contains"
)

// TextCondition holds when the comparison holds for at least one of the values.
// A list of conditions holds when each of them does.
type TextCondition struct {
	Op     Op
	Values []string
}

// DataCondition is the same for a scalar among the data of an extension, or for
// one of an array of them; there is none where the path does not lead. A number
// is compared with values that are numbers as such, everything else as text.
type DataCondition struct {
	Path   []string // names of members from the outermost on; none is empty or has a quote
	Op     Op
	Values []string
}

// TimeCondition is the same for times.
type TimeCondition struct {
	Op     Op
	Values []time.Time
}

// NumberCondition is the same for numbers.
type NumberCondition struct {
	Op     Op
	Values []int64
}

// NameStore resolves ids to what people call them.
type NameStore interface {
	// ListNames returns the names of users (their full name, else user name) and
	// service accounts by id, in one query. Who is gone is FormerMember; what is
	// nobody's id or has no name is left out. At most 1 000 ids.
	ListNames(ctx context.Context, ids []string) (map[string]string, error)
}
