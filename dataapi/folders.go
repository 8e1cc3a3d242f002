package dataapi

import (
	"context"
	"net/http"
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// GetFolder serves GET /data/v1/projects/{project_id}/folders/{folder_id}.
func (h *Handler) GetFolder(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain(shape.TypeFolders).Parse(r)
	if err != nil {
		return err
	}
	at, err := h.find.ReachFolder(r)
	if err != nil {
		return err
	}
	return h.writeFolder(w, r, q, at)
}

// GetFolderParent serves GET …/folders/{folder_id}/parent.
func (h *Handler) GetFolderParent(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain(shape.TypeFolders).Parse(r)
	if err != nil {
		return err
	}
	at, err := h.find.ReachFolder(r)
	if err != nil {
		return err
	}
	if at.Folder.ParentID == "" {
		return fault.New(fault.NotFound, "no_parent", "The root of a project has no parent.")
	}
	parent, err := h.find.Folder(r.Context(), at.Standing.Caller, at.Project.ID, at.Folder.ParentID)
	if fault.Is(err, fault.NotFound) {
		// It is there, but hidden.
		err = fault.New(fault.Forbidden, access.ReasonNoRight, "You have no permission to see the folder above.")
	}
	if err != nil {
		return err
	}
	return h.writeFolder(w, r, q, parent)
}

// GetItemParent serves GET …/items/{item_id}/parent.
func (h *Handler) GetItemParent(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain(shape.TypeFolders).Parse(r)
	if err != nil {
		return err
	}
	at, err := h.find.ReachItem(r)
	if err != nil {
		return err
	}
	return h.writeFolder(w, r, q, at.Spot)
}

func (h *Handler) writeFolder(w http.ResponseWriter, r *http.Request, q jsonapi.Query, at access.Spot) error {
	d, err := h.showFolder(r.Context(), at)
	if err != nil {
		return err
	}
	return h.writeFresh(w, r, q, d)
}

func (h *Handler) showFolder(ctx context.Context, at access.Spot) (single, error) {
	withParent, err := h.find.ShowsParent(ctx, at.Place, at.Folder)
	if err != nil {
		return single{}, err
	}
	names, err := h.tell.Show(ctx, []storage.Stamp{at.Folder.Stamp})
	if err != nil {
		return single{}, err
	}
	resource := names.Folder(at.Folder, withParent)
	return single{
		Document: jsonapi.Document{Links: shape.Self(h.tell.FolderURL(at.Project.ID, at.Folder.ID)), Data: &resource},
		Resource: resource,
		freshness: freshness{
			Revision: at.Folder.Revision, Changed: []time.Time{at.Folder.ModifiedAt, at.Folder.RollupAt}, Standing: at.Standing,
		},
	}, nil
}
