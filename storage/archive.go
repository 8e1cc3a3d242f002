package storage

import (
	"context"
	"time"
)

const (
	// ArchiveLifetime is how long what was packed can be downloaded.
	ArchiveLifetime = 24 * time.Hour

	// MaxArchives is how many archives one owner has at a time: the next one
	// takes the place of the oldest.
	MaxArchives = 10
)

// Archive is what somebody has had packed: a list of files that does not change,
// whatever becomes of the folder. The bytes stay where they are.
type Archive struct {
	ID        string
	ProjectID string
	Owner     string // for whom: a user's id, or an app's
	Name      string // of the file
	Files     int
	Missing   int   // files that could not be packed
	Size      int64 // of the whole, in bytes
	Central   int64 // where the directory begins
	CreatedAt time.Time
	ExpiresAt time.Time
}

// ArchivePage is some of the files of an archive, in order.
type ArchivePage struct {
	Start   int64 // where the first of them begins
	Central int64 // where its line in the directory begins
	Entries []byte
}

// ArchiveChoice narrows what is packed of a folder to what lies directly in it.
type ArchiveChoice struct{ FolderIDs, ItemIDs []string }

// PackedFolder is a folder below the one that is packed. Keys are the store's own.
type PackedFolder struct {
	Key, ParentKey int64
	ID, Name       string
}

// PackedFile is a version of an item; the newest, unless it says which.
type PackedFile struct {
	FolderKey int64
	ItemID    string
	Number    int       // 0: the newest
	Name      string    // the item's, or that of the version that it says
	CreatedAt time.Time // the version's
	Stored    bool      // there are bytes
	Missing   string    // why it can't be packed, where something speaks against it
	Bytes
}

// ArchiveStore keeps what was packed.
type ArchiveStore interface {
	// ListPacked returns the folder with the visible folders and items below it,
	// or those of a choice, in no order. At most limit of each, and one more if
	// there are more. NotFound for an absent or hidden folder, or when something
	// chosen does not lie visibly in it.
	ListPacked(ctx context.Context, projectID, folderID string, choice *ArchiveChoice,
		limit int) ([]PackedFolder, []PackedFile, error)

	// CreateArchive adds an archive with its pages, and forgets the oldest of the
	// same owner beyond MaxArchives. NotFound for an absent project.
	CreateArchive(ctx context.Context, archive Archive, pages []ArchivePage) error

	// FindArchive returns an archive that has not expired, or NotFound.
	FindArchive(ctx context.Context, id string, now time.Time) (Archive, error)

	// FindArchivePage returns the page with what is at a place of the archive:
	// among the files, or, from Archive.Central on, in the directory. NotFound.
	FindArchivePage(ctx context.Context, archive Archive, at int64) (ArchivePage, error)

	// EndArchive forgets an archive. An absent one is no fault.
	EndArchive(ctx context.Context, id string) error

	// SweepArchives forgets at most limit archives that expired KeepSpent ago and returns how many.
	SweepArchives(ctx context.Context, now time.Time, limit int) (int, error)

	// AnyInfected reports whether something was found in any of the bytes.
	AnyInfected(ctx context.Context, blobs []string) (bool, error)
}
