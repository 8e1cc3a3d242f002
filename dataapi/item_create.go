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

const paramCopyFrom = "copyFrom"

func createItemRules() jsonapi.Rules {
	return jsonapi.Rules{Types: []string{shape.TypeItems, shape.TypeVersions},
		Texts: []string{paramCopyFrom, access.UserParameter}}
}

// CreateItem serves POST /data/v1/projects/{project_id}/items: an item with its
// first version, which the document includes, or which is a copy of another.
func (h *Handler) CreateItem(w http.ResponseWriter, r *http.Request) error {
	q, err := createItemRules().Parse(r)
	if err != nil {
		return err
	}
	if r, err = namedInQuery(r, q); err != nil {
		return err
	}
	c, err := h.creation(w, r, shape.TypeItems)
	if err != nil {
		return err
	}
	n, err := h.newItem(c.in, q)
	if err != nil {
		return err
	}
	at, err := once(r.Context(), h, c.change, func() (access.ItemSpot, error) {
		made, err := h.rules.AddItem(r.Context(), c.change, c.Project.ID, n.Item, n.first)
		return made, h.told(r.Context(), err, n.sources)
	}, func(done storage.Done) (access.ItemSpot, error) {
		return h.find.Item(r.Context(), c.who, c.Project.ID, done.Subject)
	})
	if err != nil {
		return err
	}
	d, err := h.showItemAt(r.Context(), q, at, "")
	if err != nil {
		return err
	}
	return writeMade(w, r, q, d)
}

// newItem is what a document says of an item to be.
type newItem struct {
	storage.Item
	first   storage.NewVersion
	sources shape.Sources
}

func (h *Handler) newItem(in *jsonapi.Input, q jsonapi.Query) (newItem, error) {
	data := in.Member("data")
	copied, err := h.copySource(q)
	if err != nil {
		return newItem{}, err
	}
	item := storage.Item{
		FolderID: h.tell.ReadParent(data.Member(shape.InRelationships, "parent").Required()),
		Name:     readName(data.Member(shape.InAttributes, "displayName")),
	}
	if copied == nil || data.Member(shape.InAttributes, "extension").Given() {
		item.Extension = shape.ReadExtension(data.Member(shape.InAttributes, "extension"), h.tell.URN.ItemType())
	}
	version := includedVersion(in, copied == nil)
	if in.Err() != nil {
		return newItem{}, in.Err()
	}
	first, bytes, err := h.newVersion(in, version, copied, item.Extension.Type)
	if err != nil {
		return newItem{}, err
	}
	taken := atDisplayName
	if item.Name == "" {
		item.Name, taken = first.Name, version.Member(shape.InAttributes, "name").Pointer()
	}
	if item.Name == "" {
		taken = atParent // it gets the name of the source
	}
	return newItem{item, first, shape.Sources{tree.AtName: taken, tree.AtBytes: bytes}}, nil
}

// includedVersion finds the first version in the document, by the tip that the
// item leads to. Without one that is required, that is a fault.
func includedVersion(in *jsonapi.Input, required bool) jsonapi.Value {
	tip, all := in.Member("data", shape.InRelationships, "tip"), in.Member("included")
	if required {
		tip, all = tip.Required(), all.Required()
	}
	id, place := tip.ToOne(shape.TypeVersions)
	for _, one := range all.List() {
		kind, _ := one.Member("type").OptionalText()
		own, _ := one.Member("id").OptionalText()
		if kind == shape.TypeVersions && (own == id || !tip.Given()) {
			return one
		}
	}
	if id != "" && (required || all.Given()) {
		place.Refuse(fault.New(fault.Invalid, jsonapi.ReasonInvalid,
			"The document must include the version that is the tip."))
	}
	return jsonapi.Value{}
}

// namedInQuery returns the request with the user that its query names as its
// header would: the creation of items declares it as a parameter (decision J12).
func namedInQuery(r *http.Request, q jsonapi.Query) (*http.Request, error) {
	user, given := q.Text(access.UserParameter)
	if !given {
		return r, nil
	}
	for _, other := range r.Header.Values(access.UserHeader) {
		if other != user {
			return r, fault.New(fault.Invalid, jsonapi.ReasonInvalid,
				"The header x-user-id names another user.").At(access.UserParameter)
		}
	}
	r = r.Clone(r.Context())
	r.Header.Set(access.UserHeader, user)
	return r, nil
}
