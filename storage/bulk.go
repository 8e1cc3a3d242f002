package storage

import (
	"context"
	"iter"
	"time"
)

// BulkFolder is a folder of a tree to be loaded.
type BulkFolder struct {
	ID        string
	Parent    int // how many folders came before its parent; -1: the folder that all goes into
	Name      string
	CreatedAt time.Time
	CreatedBy string
}

// BulkItem is an item of a tree to be loaded.
type BulkItem struct {
	ID        string
	Folder    int // how many folders came before its folder
	Name      string
	CreatedAt time.Time
	CreatedBy string
	Versions  int // how many it has, all alike
	MimeType  string
	FileType  string
	Size      int64
}

// BulkStore fills a project with many folders and items at once.
type BulkStore interface {
	// LoadTree adds the folders, each after its parent, and the items, all or
	// nothing, with one event for the whole. Items and folders are
	// FolderNormal with the given extension types. NotFound; Conflict for a
	// taken id or name; Invalid for a parent that did not come before or lies
	// too deep; Locked (ReasonProjectBusy, ReasonProjectArchived).
	LoadTree(ctx context.Context, change Change, projectID string, tree BulkTree) error
}

// BulkTree is what LoadTree loads. Each sequence is read once.
type BulkTree struct {
	Into        string // uid of the folder that all goes into; empty: the project's root
	FolderType  string // extension types
	ItemType    string
	VersionType string
	Folders     iter.Seq[BulkFolder]
	Items       iter.Seq[BulkItem]
}
