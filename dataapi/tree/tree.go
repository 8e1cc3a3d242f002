// Package tree is the rules of changing what lies in projects: folders, items and
// their versions are made, renamed, moved, hidden and reserved by them alone,
// whether a document of the API or a form of a page asks for it.
//
// It knows no requests: who reads one says where in it a fault lies, by the places
// that faults name here. Who may what is package access's. Start at New.
package tree

import (
	"context"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Store is what the rules look up and change.
type Store interface {
	CreateFolder(ctx context.Context, change storage.Change, projectID string,
		folder storage.Folder) (storage.Folder, error)
	UpdateFolder(ctx context.Context, change storage.Change, projectID, folderID string,
		patch storage.FolderPatch) (storage.Folder, error)
	CreateItem(ctx context.Context, change storage.Change, projectID string, item storage.Item,
		first storage.NewVersion) (storage.ItemWithTip, error)
	UpdateItem(ctx context.Context, change storage.Change, projectID, itemID string,
		patch storage.ItemPatch) (storage.ItemWithTip, error)
	AddVersion(ctx context.Context, change storage.Change, projectID, itemID string,
		version storage.NewVersion) (storage.ItemWithTip, error)
	ReserveObject(ctx context.Context, change storage.Change, object storage.Object) error
	ReserveItem(ctx context.Context, change storage.Change, projectID, itemID string) (storage.ItemWithTip, error)
	ReleaseItem(ctx context.Context, change storage.Change, projectID, itemID string) (storage.ItemWithTip, error)
	BreakReservation(ctx context.Context, change storage.Change, projectID, itemID string) (storage.ItemWithTip, error)
	FindNaming(ctx context.Context, projectID string) (storage.Naming, error)
}

// Rules are those of changes, each made by its caller. They are safe for
// concurrent use.
type Rules struct {
	store   Store
	find    access.Finder
	ambient *ambient.Source
}

// New returns Rules.
func New(store Store, find access.Finder, source *ambient.Source) *Rules {
	return &Rules{store, find, source}
}

// Places are what the faults of the rules are about, as their sources.
const (
	AtThing      = "thing"      // the folder itself
	AtName       = "name"       // what it shall be called
	AtAttributes = "attributes" // its name and description, of who may change neither
	AtHidden     = "hidden"
	AtParent     = "parent" // the folder that it shall lie in
	AtItem       = "item"   // of a version
	AtBytes      = "bytes"
	AtSource     = "copyFrom" // the version that is copied
	AtReserved   = "reserved"
)

// reasonItemAbsent is that of access.OrRemoved.
const reasonItemAbsent = "item_not_found"

// placed returns the store's refusal with the place that it is about.
func placed(err error) error {
	f := fault.From(err)
	if f == nil {
		return nil
	}
	switch f.Reason {
	case storage.ReasonParentAbsent, storage.ReasonParentHidden, storage.ReasonTooDeep, storage.ReasonCycle:
		return f.At(AtParent)
	case storage.ReasonNameTaken:
		return f.At(AtName)
	case storage.ReasonRootFolder:
		return f.At(AtThing)
	case storage.ReasonObjectAbsent, storage.ReasonObjectPending, storage.ReasonInfected, storage.ReasonObjectUsed:
		return f.At(AtBytes)
	case storage.ReasonSourceAbsent:
		return f.At(AtSource)
	case storage.ReasonNotReserved:
		return f.At(AtReserved)
	}
	return err
}
