package dataapi

import (
	"net/http"
	"strings"

	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

type objectAttributes struct {
	Name string `json:"name"`
}

type objectRelationships struct {
	Target jsonapi.Relationship `json:"target"`
}

// CreateStorage serves POST /data/v1/projects/{project_id}/storage: an object
// without bytes, for a file that is to lie in a folder or to become a version of
// an item (S2 4.4).
func (h *Handler) CreateStorage(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain(shape.TypeObjects).Parse(r)
	if err != nil {
		return err
	}
	c, err := h.creation(w, r, shape.TypeObjects)
	if err != nil {
		return err
	}
	object, err := h.newObject(c)
	if err != nil {
		return err
	}
	made, err := once(r.Context(), h, c.change, func() (storage.Object, error) {
		made, err := h.rules.AddObject(r.Context(), c.change, object)
		return made, h.told(r.Context(), err, shape.Sources{tree.AtParent: atTarget})
	}, func(done storage.Done) (storage.Object, error) {
		bucket, key, _ := strings.Cut(done.Subject, "/")
		return h.store.FindObject(r.Context(), bucket, key)
	})
	if err != nil {
		return err
	}
	resource := showObject(h.tell.Shape, made)
	body, err := jsonapi.Document{Links: resource.Links, Data: &resource}.Encode(q)
	if err != nil {
		return err
	}
	w.Header().Set("Location", resource.Links.Self.Href)
	w.Header().Set("Cache-Control", "no-store")
	jsonapi.Write(w, r, http.StatusCreated, body)
	return nil
}

// newObject reads the object of a document.
func (h *Handler) newObject(c creation) (storage.Object, error) {
	data := c.in.Member("data")
	object := storage.Object{
		ProjectID: c.Project.ID,
		Name:      readName(data.Member(shape.InAttributes, "name").Required()),
	}
	object.Target = h.readTarget(data.Member(shape.InRelationships, "target").Required())
	return object, c.in.Err()
}

// readTarget returns the folder or item that a relationship leads to.
func (h *Handler) readTarget(v jsonapi.Value) storage.ObjectTarget {
	if v.Member("data").Raw() == nil {
		return storage.ObjectTarget{FolderID: h.tell.ReadParent(v)} // which says what is missing
	}
	kind, named := v.Member("data", "type").OptionalText()
	switch {
	case kind == shape.TypeItems:
		return storage.ObjectTarget{ItemID: shape.ReadURN(v, shape.TypeItems, h.tell.URN.Item("<id>"), h.tell.URN.ItemUID)}
	case named && kind != shape.TypeFolders:
		v.Member("data", "type").Refuse(fault.New(fault.Invalid, jsonapi.ReasonInvalid, "The type must be folders or items."))
		return storage.ObjectTarget{}
	}
	return storage.ObjectTarget{FolderID: h.tell.ReadParent(v)}
}

// object shows an object that has no bytes yet.
func showObject(s shape.Shape, o storage.Object) jsonapi.Resource {
	target := shape.ToOne(shape.TypeFolders, s.URN.Folder(o.Target.FolderID), s.FolderURL(o.ProjectID, o.Target.FolderID))
	if o.Target.ItemID != "" {
		target = shape.ToOne(shape.TypeItems, s.URN.Item(o.Target.ItemID), s.ItemURL(o.ProjectID, o.Target.ItemID))
	}
	return jsonapi.Resource{
		Type: shape.TypeObjects, ID: s.URN.Object(o.Bucket, o.Key), Attributes: objectAttributes{o.Name},
		Relationships: objectRelationships{target}, Links: shape.Self(s.ObjectURL(o.Bucket, o.Key)),
	}
}
