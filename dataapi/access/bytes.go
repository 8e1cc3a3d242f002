package access

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Who may put and get the bytes of objects: what the endpoints under /oss ask.

// MayUpload returns nil when the caller may put bytes where the object is to go:
// at level publish in the folder, or in that of the item.
func (f Finder) MayUpload(ctx context.Context, who storage.Caller, object storage.Object) error {
	at, err := f.UploadSpot(ctx, who, object)
	if err != nil {
		return err
	}
	return MayPut(at.Standing)
}

// MayPut is about the folder that bytes are to go to.
func MayPut(into storage.Standing) error { return Need(into, storage.LevelPublish, "upload") }

// UploadSpot finds where an object is to go.
func (f Finder) UploadSpot(ctx context.Context, who storage.Caller, object storage.Object) (Spot, error) {
	if object.Target.ItemID == "" {
		return f.Folder(ctx, who, object.ProjectID, object.Target.FolderID)
	}
	at, err := f.Item(ctx, who, object.ProjectID, object.Target.ItemID)
	return at.Spot, err
}

// MayDownload returns nil when the caller may read the object's bytes: at level
// download in the folder of any item with a version that has them. What no
// Version has yet is for whoever may upload it.
func (f Finder) MayDownload(ctx context.Context, who storage.Caller, object storage.Object) error {
	items, err := f.Store.ListObjectItems(ctx, who.UserID, object)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return f.MayUpload(ctx, who, object)
	}
	var refusal error = fault.Absent("object")
	for _, item := range items {
		switch err := f.mayDownload(ctx, who, object.ProjectID, item); {
		case fault.Is(err, fault.NotFound):
		case fault.Is(err, fault.Forbidden):
			refusal = err
		default:
			return err
		}
	}
	return refusal
}

func (f Finder) mayDownload(ctx context.Context, who storage.Caller, project, item string) error {
	at, err := f.Item(ctx, who, project, item)
	if err != nil {
		return err
	}
	return Need(at.Standing, storage.LevelDownload, "read these bytes")
}
