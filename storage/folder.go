package storage

import (
	"context"
	"time"
)

// MaxDepth is how deep a folder may lie: the hidden root is level 0, its
// children are level 1 (J16).
const MaxDepth = 25

// Folder kinds.
const (
	FolderNormal = "normal"
	FolderRoot   = "root"  // the hidden root of a project: one each, never listed
	FolderFiles  = "files" // "Project Files": one each, at the top; it is not renamed, moved or hidden
	FolderPlans  = "plan"
)

// FilesName is the name of a project's FolderFiles.
const FilesName = "Project Files"

// Folder is a node of a project's tree.
type Folder struct {
	ID        string // 22 base64url characters
	ProjectID string
	ParentID  string // uid; empty for the root
	Name      string // unique among the visible folders of its parent, by key
	Kind      string // FolderNormal when empty on creation
	Depth     int
	Hidden    bool // hidden itself
	Visible   bool // neither hidden itself nor below a hidden folder
	Extension Extension
	Revision  int64 // grows with each change of the folder itself
	Stamp
	RollupAt    time.Time // newest change of the folder or anything below it
	ObjectCount int       // visible folders and items directly in it
}

// Ancestor is a folder on the way from the root.
type Ancestor struct {
	ID      string
	Name    string
	Kind    string
	Depth   int
	Hidden  bool
	Granted Level // of the user asked for: highest on it or above
}

// FolderPatch says what to change of a folder; nil fields stay.
type FolderPatch struct {
	Name          *string
	ParentID      *string
	Hidden        *bool
	ExtensionData *string
}

// HiddenFilter says which of hidden and visible things are wanted.
type HiddenFilter int

// The choices. The zero value leaves hidden things out.
const (
	HiddenExcluded HiddenFilter = iota
	HiddenIncluded
	HiddenOnly
)

// TopQuery narrows or widens what is listed of a project's top folders.
type TopQuery struct {
	WithHidden     bool // those that aren't visible too, to callers who may edit them
	InProjectFiles bool // keep only "Project Files" and what lies in it
}

// ContentsQuery narrows what is listed of a folder; empty fields keep
// everything.
type ContentsQuery struct {
	NoFolders bool
	NoItems   bool
	ByID      bool // keep only FolderIDs and ItemIDs
	FolderIDs []string
	ItemIDs   []string

	ExtensionTypes []TextCondition  // of the folder or item itself
	Data           []DataCondition  // the same
	Stated         []StateCondition // of the tips of items; folders have none
	Rollup         []TimeCondition  // of folders; an item's own ModifiedAt
	Hidden         HiddenFilter     // by their own flag
	Named          string           // keep what has this name, as names are compared
	Part           string           // keep what has this in its name, likewise
	Descending     bool             // by name from the end, still folders first
	Newest         bool             // items by ModifiedAt, the newest first, and folders by name
}

// StateCondition keeps items whose tip has been said to have come so far.
type StateCondition struct {
	Of StateField
	TextCondition
}

// StateField is a part of a VersionState.
type StateField string

// The parts.
const (
	StateItself      StateField = "state"
	StateSuitability StateField = "suitability"
	StateRevision    StateField = "revision"
)

// Contents is one page of a folder: folders first, then items.
type Contents struct {
	Folders []Folder
	Items   []ItemWithTip
	Next    string // cursor; empty on the last page
}

// FolderStore keeps the tree.
//
// A name is 1 to 255 characters, checked by the caller; the store compares
// folded keys. Creating, moving and restoring refuse a name that a visible
// folder beside has: Conflict (ReasonNameTaken), exact whatever runs beside it.
// Every act refuses an archived project: Locked (ReasonProjectArchived).
type FolderStore interface {
	// FindFolder returns the folder, hidden too, with its place and the
	// caller's standing in it whatever that is, in one query. NotFound when
	// there is no such folder in that project.
	FindFolder(ctx context.Context, caller Caller, projectID, folderID string) (Place, Folder, error)

	// ListAncestors returns the way from the root to the folder, both
	// included, with what is granted to the user on it (nothing without one).
	// NotFound.
	ListAncestors(ctx context.Context, userID, projectID, folderID string) ([]Ancestor, error)

	// ListTopFolders returns the highest folders that the caller can read,
	// ordered by name key and id. Place is what FindProject returned for the
	// caller. A folder is readable at LevelView, or at LevelEdit when it is not
	// Visible; those are left out unless asked for. Callers with rights
	// everywhere get the children of the root; to others it need not be said
	// what lies above the folders (ParentID may be empty).
	ListTopFolders(ctx context.Context, place Place, q TopQuery) ([]Folder, error)

	// ListContents returns a page of what lies directly in the folder, ordered
	// by (name key, id) unless the query says otherwise, folders first, each item
	// with its tip. A page starts where the one before ended, whatever was added
	// or renamed meanwhile.
	// An absent folder has no contents.
	ListContents(ctx context.Context, projectID, folderID string, query ContentsQuery, page DataPage) (Contents, error)

	// CreateFolder adds a visible folder: ID, ParentID, Name, Kind and
	// Extension are taken. NotFound (ReasonParentAbsent), Conflict
	// (ReasonParentHidden, ReasonNameTaken, or no reason for a taken id),
	// Invalid (ReasonTooDeep), Locked (ReasonProjectBusy).
	CreateFolder(ctx context.Context, change Change, projectID string, folder Folder) (Folder, error)

	// UpdateFolder renames, moves, hides or restores the folder, all at once
	// or not at all, and returns it. What is as it should be already is no
	// change. The subtree moves and hides along; restoring leaves what is
	// hidden itself below it hidden. NotFound, also ReasonParentAbsent;
	// Conflict (ReasonNameTaken, ReasonParentHidden when it moves to a hidden
	// folder); Forbidden (ReasonFilesFolder); Invalid (ReasonCycle,
	// ReasonRootFolder, and ReasonTooDeep when the deepest folder of the subtree
	// would lie too deep); Locked (ReasonProjectBusy when another move takes
	// longer than 2 s).
	UpdateFolder(ctx context.Context, change Change, projectID, folderID string, patch FolderPatch) (Folder, error)
}

// TreeUpkeepStore is for the workers that keep the tree's derived figures, and
// for administrators.
type TreeUpkeepStore interface {
	// FoldChanges adds at most limit noted changes to the rollup times and
	// object counts of folders and returns how many; fewer than limit means
	// done for now. Readers see noted changes at once: folding only makes
	// reading cheaper. Any number may run at once.
	FoldChanges(ctx context.Context, limit int) (int, error)

	// PurgeHidden removes for good at most limit items and folders with all
	// below them that were hidden before the given time, and returns how many
	// items and folders went; 0 means done. Objects stay. Locked
	// (ReasonProjectBusy); NotFound.
	PurgeHidden(ctx context.Context, change Change, projectID string, before time.Time, limit int) (int, error)
}
