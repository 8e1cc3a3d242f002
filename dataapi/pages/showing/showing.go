// Package showing is what people look at: a version of a file with its bytes, two
// versions side by side, a folder as one ZIP file, what is found in one, and what has
// happened.
//
// Bytes are somebody's upload, shown on pages of ours: what a browser may do with
// them is said by package objects, which also asks who may read them, and a page
// frames nothing but a PDF. Nothing is changed here. Start at Routes.
package showing

import (
	"context"
	"net/http"

	"golang.org/x/sync/semaphore"

	"github.com/portico-id/portico/dataapi/archive"
	"github.com/portico-id/portico/dataapi/feed"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/picture"
	"github.com/portico-id/portico/storage"
)

const (
	archiveVariable = "archive_id"
	archivePath     = ground.Root + "/archives/{" + archiveVariable + "}"

	activityPath = "/activity"

	// picturesAtOnce is how many files are held whole at a time.
	picturesAtOnce = 2
)

// Store is what the pages read.
type Store interface {
	FindObject(ctx context.Context, bucket, key string) (storage.Object, error)
	storage.ThumbnailStore
	ListVersions(ctx context.Context, projectID, itemID string, query storage.VersionQuery,
		page storage.DataPage) ([]storage.Version, string, error)
	ListSums(ctx context.Context, projectID, itemID string, from, to int) (map[int][]byte, error)
	ListRefs(ctx context.Context, projectID string, end storage.End, query storage.RefQuery,
		page storage.PageRequest) ([]storage.Ref, string, error)
	feed.Events
	Search(ctx context.Context, projectID, folderID string, query storage.SearchQuery,
		page storage.DataPage) ([]storage.ItemWithTip, string, error)
}

// Bytes give the bytes of an object to those who may read them: *objects.Handler.
type Bytes interface {
	MayLook(ctx context.Context, who storage.Caller, object storage.Object) error
	Look(w http.ResponseWriter, r *http.Request, who storage.Caller, object storage.Object, inline bool) error
	Beginning(ctx context.Context, who storage.Caller, object storage.Object, most int64) ([]byte, error)
}

// Options are what a Desk is made of. Every field is needed.
type Options struct {
	Ground   *ground.Ground
	Store    Store
	Bytes    Bytes
	Archives *archive.Rules
}

// Desk is the pages. It is safe for concurrent use.
type Desk struct {
	*ground.Ground
	store    Store
	bytes    Bytes
	archives *archive.Rules
	pictures *picture.Reader
	turns    *semaphore.Weighted // of pictures that are held whole
}

// New returns the pages.
func New(o Options) *Desk {
	return &Desk{o.Ground, o.Store, o.Bytes, o.Archives, picture.NewReader(),
		semaphore.NewWeighted(picturesAtOnce)}
}

// Routes are the pages.
func (d *Desk) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At(ground.ItemPath).Get(d.Shown(d.file)),
		httpio.At(ground.VersionPath).Get(d.Shown(d.version)),
		httpio.At(ground.VersionPath + "/bytes").Get(d.Shown(d.saved)),
		httpio.At(ground.VersionPath + "/shown").Get(d.Shown(d.shown)),
		httpio.At(ground.VersionPath + "/picture").Get(d.Shown(d.picture)),
		httpio.At(ground.VersionPath + "/thumbnail").Get(d.Shown(d.thumbnail)),
		httpio.At(ground.ItemPath + "/compare").Get(d.Shown(d.compare)),
		httpio.At(ground.FolderPath + "/zip").Post(d.Gate.Form(d.pack)).On(ground.FolderPath),
		httpio.At(ground.FolderPath + "/chosen/zip").Post(d.Gate.Stream(d.packChosen)).On(ground.FolderPath),
		httpio.At(archivePath).Get(d.Gate.Show(d.archive)),
		httpio.At(ground.FolderPath + "/search").Get(d.Shown(d.search)),
		httpio.At(ground.ProjectPath + activityPath).Get(d.Shown(d.projectActivity)),
		httpio.At(ground.FolderPath + activityPath).Get(d.Shown(d.folderActivity)),
		httpio.At(ground.ItemPath + activityPath).Get(d.Shown(d.itemActivity)),
	}
}
