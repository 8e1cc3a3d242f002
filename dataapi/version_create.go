package dataapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

const atItem = "/data/relationships/item/data/id"

func createVersionRules() jsonapi.Rules {
	return jsonapi.Rules{Types: []string{shape.TypeVersions, shape.TypeItems}, Texts: []string{paramCopyFrom}}
}

// CreateVersion serves POST /data/v1/projects/{project_id}/versions (decision
// J4): the next version of an item, from bytes or as a copy. One of a type that
// ends in ":Deleted" deletes the item, and a copy of one from before brings it
// back (decision X1).
func (h *Handler) CreateVersion(w http.ResponseWriter, r *http.Request) error {
	q, err := createVersionRules().Parse(r)
	if err != nil {
		return err
	}
	c, err := h.creation(w, r, shape.TypeVersions)
	if err != nil {
		return err
	}
	n, err := h.nextVersion(c.in, q)
	if err != nil {
		return err
	}
	at, err := once(r.Context(), h, c.change, func() (versionSpot, error) {
		return h.addVersion(r.Context(), c, n)
	}, func(done storage.Done) (versionSpot, error) {
		item, version, err := h.find.Version(r.Context(), c.who, c.Project.ID,
			storage.VersionRef{ItemID: done.Subject, Number: done.Number})
		return versionSpot{item, version}, err
	})
	if err != nil {
		return err
	}
	d, err := h.showVersion(r.Context(), at.ItemSpot, at.Version)
	if err != nil {
		return err
	}
	item, err := h.showItemAt(r.Context(), q, at.ItemSpot, "")
	if err != nil {
		return err
	}
	d.Document.Included = []jsonapi.Resource{item.Resource}
	return writeMade(w, r, q, d)
}

// versionSpot is a version of an item and how the caller stands in its folder.
type versionSpot struct {
	access.ItemSpot
	Version storage.Version
}

// nextVersion is what a document says of a version to be.
type nextVersion struct {
	storage.NewVersion
	itemID string // empty: that of the version that is copied
	bytes  string // where the document names them
	named  bool
}

func (h *Handler) nextVersion(in *jsonapi.Input, q jsonapi.Query) (nextVersion, error) {
	copied, err := h.copySource(q)
	if err != nil {
		return nextVersion{}, err
	}
	data := in.Member("data")
	item := data.Member(shape.InRelationships, "item")
	if copied == nil {
		item = item.Required()
	}
	n := nextVersion{
		itemID: shape.ReadURN(item, shape.TypeItems, h.tell.URN.Item("<id>"), h.tell.URN.ItemUID),
		named:  data.Member(shape.InAttributes, "name").Given(),
	}
	extension := shape.ReadExtension(data.Member(shape.InAttributes, "extension"), h.tell.URN.VersionType())
	if copied == nil && isDeletion(extension) {
		n.Delete, n.Extension = true, extension
		if bytes := data.Member(shape.InRelationships, "storage"); bytes.Given() {
			bytes.Refuse(fault.New(fault.Invalid, jsonapi.ReasonInvalid,
				"A version that deletes the item has no bytes: leave storage out."))
		}
		return n, in.Err()
	}
	n.NewVersion, n.bytes, err = h.newVersion(in, data, copied, "")
	return n, err
}

// addVersion adds the version to its item where the caller may.
func (h *Handler) addVersion(ctx context.Context, c creation, n nextVersion) (versionSpot, error) {
	id, place := n.itemID, atItem
	if id == "" {
		id, place = n.CopyFrom.ItemID, paramCopyFrom
	}
	at, err := h.find.Item(ctx, c.who, c.Project.ID, id)
	if err == nil {
		err = access.MayAddVersion(at.Standing)
	}
	if err == nil && n.Delete {
		err = access.MayHide(at.Standing)
	}
	if err != nil {
		return versionSpot{}, shape.Placed(err, place)
	}
	if n.CopyFrom != nil {
		if _, _, err := h.mayCopyFrom(ctx, c, *n.CopyFrom); err != nil {
			return versionSpot{}, err
		}
	}
	taken := atName
	if !n.named {
		taken = place
	}
	version := h.completed(n, at.Item)
	if version.RenameItem && version.Name != at.Item.Name {
		if err := h.mayBeCalled(ctx, at, storage.ItemPatch{Name: &version.Name}); err != nil {
			return versionSpot{}, shape.Placed(err, taken)
		}
	}
	made, err := h.store.AddVersion(ctx, c.change, c.Project.ID, id, version)
	at.ItemWithTip = made
	return versionSpot{at, made.Tip}, h.tell.Located(ctx, access.OrRemoved(err, "item"), shape.Sources{
		"item_not_found":           place,
		storage.ReasonObjectAbsent: n.bytes, storage.ReasonObjectPending: n.bytes, storage.ReasonInfected: n.bytes,
		storage.ReasonObjectUsed:   n.bytes,
		storage.ReasonSourceAbsent: paramCopyFrom, storage.ReasonItemHidden: place, storage.ReasonNameTaken: taken,
	})
}

// completed adds what follows from the item. Documents are called what their
// newest version is called; other items only when one of their own versions is
// copied under another name, which is how they are renamed.
func (h *Handler) completed(n nextVersion, item storage.Item) storage.NewVersion {
	v := n.NewVersion
	if n.Delete {
		v.Name = h.ambient.UUID()
		v.Extension.Data = originalName(item.Name)
		return v
	}
	ownCopy := v.CopyFrom != nil && v.CopyFrom.ItemID == item.ID
	v.RenameItem = n.named && (ownCopy || isDocument(item.Extension))
	return v
}

// originalName is the data of the version that deletes an item, whose own name
// is no one's.
func originalName(name string) string {
	data, err := json.Marshal(struct {
		OriginalName string `json:"originalName"`
	}{name})
	if err != nil {
		return "" // can't be: it is text
	}
	return string(data)
}
