package dataapi

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Who may put and get the bytes of objects: what the endpoints under /oss ask.

// maxOwners is of how many items with the same bytes the rights are looked at.
const maxOwners = 50

// Caller returns on whose behalf the request with a bearer token is made
// (decision J12).
func (h *Handler) Caller(r *http.Request) (storage.Caller, error) { return caller(r) }

// MayUpload returns nil when the caller may put bytes where the object is to go:
// at level publish in the folder, or in that of the item.
func (h *Handler) MayUpload(ctx context.Context, who storage.Caller, object storage.Object) error {
	at, err := h.uploadSpot(ctx, who, object)
	if err != nil {
		return err
	}
	return mayUpload(at.Standing)
}

func mayUpload(into storage.Standing) error { return need(into, storage.LevelPublish, "upload") }

// uploadSpot finds where an object is to go.
func (h *Handler) uploadSpot(ctx context.Context, who storage.Caller, object storage.Object) (spot, error) {
	if object.Target.ItemID == "" {
		return h.folder(ctx, who, object.ProjectID, object.Target.FolderID)
	}
	at, err := h.item(ctx, who, object.ProjectID, object.Target.ItemID)
	return at.spot, err
}

// MayDownload returns nil when the caller may read the object's bytes: at level
// download in the folder of any item with a version that has them. What no
// version has yet is for whoever may upload it.
func (h *Handler) MayDownload(ctx context.Context, who storage.Caller, object storage.Object) error {
	items, err := h.store.ListObjectItems(ctx, object.Bucket, object.Key, maxOwners)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return h.MayUpload(ctx, who, object)
	}
	var refusal error = fault.Absent("object")
	for _, item := range items {
		at, err := h.item(ctx, who, object.ProjectID, item)
		if err == nil {
			err = need(at.Standing, storage.LevelDownload, "read these bytes")
		}
		switch {
		case err == nil:
			return nil
		case fault.Is(err, fault.NotFound):
		case fault.Is(err, fault.Forbidden):
			refusal = err
		default:
			return err
		}
	}
	return refusal
}
