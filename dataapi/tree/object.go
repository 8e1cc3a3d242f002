package tree

import (
	"context"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/storage"
)

// Bucket is where the objects of projects are said to be. Clients of the API
// family name a bucket in each call.
const Bucket = "wip.dm"

// AddObject makes an object without bytes, of which project, name and target are
// taken, where the caller may upload.
func (a *Rules) AddObject(ctx context.Context, change storage.Change, object storage.Object) (storage.Object, error) {
	into, err := a.find.UploadSpot(ctx, change.Caller, object)
	if err == nil {
		err = access.MayPut(into.Standing)
	}
	if err == nil {
		err = notInRoot(into.Folder)
	}
	if err != nil {
		return object, shape.Placed(err, AtParent)
	}
	object.Bucket, object.State, object.Key = Bucket, storage.ObjectReserved, a.ambient.UUID()
	if ending := FileType(object.Name); ending != "" {
		object.Key += "." + ending
	}
	return object, a.store.ReserveObject(ctx, change, object)
}
