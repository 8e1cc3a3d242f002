package storage

import (
	"context"
	"time"
)

// OpIContains is OpContains without regard to case and Unicode form. It is for
// texts of a search alone.
const OpIContains Op = "icontains"

// SearchField is what a search compares of tips.
type SearchField string

// The fields.
const (
	SearchName             SearchField = "name" // texts
	SearchMimeType         SearchField = "mime type"
	SearchFileType         SearchField = "file type"
	SearchExtensionType    SearchField = "extension type"
	SearchExtensionVersion SearchField = "extension version"
	SearchCreatedBy        SearchField = "created by"
	SearchCreatedByName    SearchField = "created by name" // as ListNames has it
	SearchModifiedBy       SearchField = "modified by"
	SearchModifiedByName   SearchField = "modified by name"

	SearchNumber SearchField = "number" // numbers
	SearchSize   SearchField = "size"

	SearchCreated  SearchField = "created" // times
	SearchModified SearchField = "modified"
)

// SearchQuery says which tips are wanted; empty fields keep everything.
type SearchQuery struct {
	ByID    bool // keep only tips named by IDs; Number 0 stands for any
	IDs     []VersionRef
	Texts   map[SearchField][]TextCondition
	Numbers map[SearchField][]NumberCondition
	Times   map[SearchField][]TimeCondition

	// Fits decides what no field tells; nil keeps everything. It is asked for
	// tips that otherwise fit, maybe for more than are returned.
	Fits func(ItemWithTip) bool

	// Budget is how long the store may look for a page, from when it begins.
	Budget time.Duration
}

// ReasonPageBehind is the reason of the Invalid fault for a page by number that
// lies behind more than could be looked through in time.
const ReasonPageBehind = "page_behind"

// SearchStore searches subtrees.
type SearchStore interface {
	// Search returns a page of the visible items in the folder and everywhere
	// below it whose tips fit, in the order of the tree (path, name key, id),
	// and the next cursor, "" when nothing follows. When the budget is spent
	// the page is short, even empty, and the cursor goes on from there; some of
	// the subtree is always looked through. Nothing is visible in an absent or
	// hidden folder. Invalid (ReasonPageBehind, or no reason for a comparison
	// that makes no sense).
	Search(ctx context.Context, projectID, folderID string, query SearchQuery,
		page DataPage) ([]ItemWithTip, string, error)
}
