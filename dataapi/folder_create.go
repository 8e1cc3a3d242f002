package dataapi

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/storage"
)

// Places in the documents of changes.
const (
	atData       = "/data"
	atAttributes = "/data/attributes"
	atName       = atAttributes + "/name"
	atHidden     = atAttributes + "/hidden"
	atParent     = "/data/relationships/parent/data/id"
)

// CreateFolder serves POST /data/v1/projects/{project_id}/folders.
func (h *Handler) CreateFolder(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain(shape.TypeFolders).Parse(r)
	if err != nil {
		return err
	}
	c, err := h.creation(w, r, shape.TypeFolders)
	if err != nil {
		return err
	}
	folder, err := h.newFolder(c.in)
	if err != nil {
		return err
	}
	at, err := once(r.Context(), h, c.change, func() (access.Spot, error) {
		return h.addFolder(r.Context(), c, folder)
	}, func(done storage.Done) (access.Spot, error) {
		return h.find.Folder(r.Context(), c.who, c.Project.ID, done.Subject)
	})
	if err != nil {
		return err
	}
	d, err := h.showFolder(r.Context(), at)
	if err != nil {
		return err
	}
	return writeMade(w, r, q, d)
}

// newFolder reads the folder of a document.
func (h *Handler) newFolder(in *jsonapi.Input) (storage.Folder, error) {
	data := in.Member("data")
	folder := storage.Folder{
		ParentID:  h.tell.ReadParent(data.Member(shape.InRelationships, "parent").Required()),
		Name:      readName(data.Member(shape.InAttributes, "name").Required()),
		Extension: shape.ReadExtension(data.Member(shape.InAttributes, "extension"), h.tell.URN.FolderType()),
	}
	return folder, in.Err()
}

// addFolder creates the folder where the caller may.
func (h *Handler) addFolder(ctx context.Context, c creation, folder storage.Folder) (access.Spot, error) {
	parent, err := h.find.Folder(ctx, c.who, c.Project.ID, folder.ParentID)
	if err == nil {
		err = access.MayAddFolder(parent.Standing)
	}
	if err != nil {
		return access.Spot{}, shape.Placed(err, atParent)
	}
	folder.ID = h.ambient.UID()
	made, err := h.store.CreateFolder(ctx, c.change, c.Project.ID, folder)
	return access.Spot{Place: parent.Place, Folder: made}, h.tell.Located(ctx, err, shape.Sources{
		storage.ReasonParentAbsent: atParent, storage.ReasonParentHidden: atParent, storage.ReasonTooDeep: atParent,
		storage.ReasonNameTaken: atName,
	})
}
