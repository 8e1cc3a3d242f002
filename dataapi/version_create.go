package dataapi

import (
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

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
		made, err := h.rules.AddVersion(r.Context(), c.change, c.Project.ID, n.itemID, n.NextVersion)
		return versionSpot{made, made.Tip}, h.told(r.Context(), err, n.places())
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
	tree.NextVersion
	itemID string
	from   string // where the document names the item
	bytes  string // and the bytes
}

// places are where the document says what the version is to be.
func (n nextVersion) places() shape.Sources {
	taken := atName
	if !n.Named {
		taken = n.from
	}
	return shape.Sources{tree.AtItem: n.from, tree.AtBytes: n.bytes, tree.AtName: taken}
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
		from:   atItem,
		itemID: shape.ReadURN(item, shape.TypeItems, h.tell.URN.Item("<id>"), h.tell.URN.ItemUID),
	}
	n.Named = data.Member(shape.InAttributes, "name").Given()
	if n.itemID == "" && copied != nil {
		n.itemID, n.from = copied.ItemID, paramCopyFrom
	}
	extension := shape.ReadExtension(data.Member(shape.InAttributes, "extension"), h.tell.URN.VersionType())
	if copied == nil && tree.IsDeletion(extension) {
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
