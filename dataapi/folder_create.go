package dataapi

import (
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/storage"
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
		made, err := h.rules.AddFolder(r.Context(), c.change, c.Project.ID, folder)
		return made, h.told(r.Context(), err, nil)
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
