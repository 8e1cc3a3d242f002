package dataapi

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// PatchItem serves PATCH /data/v1/projects/{project_id}/items/{item_id}: it
// renames, moves, hides, restores or describes, all at once or not at all, or
// reserves and releases (decision J8).
func (h *Handler) PatchItem(w http.ResponseWriter, r *http.Request) error {
	return patching[access.ItemSpot]{
		types: []string{shape.TypeItems, shape.TypeVersions}, reach: h.find.ReachItem, change: h.patchItem,
		id:   func(at access.ItemSpot) string { return h.tell.URN.Item(at.Item.ID) },
		show: func(q jsonapi.Query, at access.ItemSpot) (single, error) { return h.showItemAt(r.Context(), q, at, "") },
	}.serve(w, r)
}

// patchItem changes the item as the document says, where the caller may.
func (h *Handler) patchItem(r *http.Request, at access.ItemSpot, in *jsonapi.Input) (access.ItemSpot, error) {
	patch, err := h.itemPatch(r, at, in)
	if err != nil {
		return access.ItemSpot{}, err
	}
	change := h.change(r, at.Standing.Caller)
	if change.Seen, err = seenBy(r, at.Item.Revision, patch.ExtensionData != nil); err != nil {
		return access.ItemSpot{}, err
	}
	act, err := h.reservation(in, at, change, patch)
	if err != nil {
		return access.ItemSpot{}, err
	}
	if act == nil {
		act = func(ctx context.Context, change storage.Change, at access.ItemSpot) (access.ItemSpot, error) {
			return h.rules.ChangeItem(ctx, change, at, patch)
		}
	}
	done, err := act(r.Context(), change, at)
	return done, h.told(r.Context(), err, shape.Sources{tree.AtName: nameOrElse(in, "displayName")})
}

// itemPatch reads what the document changes of the item, as far as the caller
// may change it.
func (h *Handler) itemPatch(r *http.Request, at access.ItemSpot, in *jsonapi.Input) (storage.ItemPatch, error) {
	now := nowOf(func() (single, error) { return h.showItemAt(r.Context(), jsonapi.Query{}, at, "") })
	data := in.Member("data")
	patch := storage.ItemPatch{
		Name:          readNewName(data.Member(shape.InAttributes, "displayName"), at.Item.Name),
		Hidden:        changed(data.Member(shape.InAttributes, "hidden").OptionalFlag(), at.Item.Hidden),
		FolderID:      readNewParent(h, data, at.Item.FolderID),
		ExtensionData: now.MergedData(data.Member(shape.InAttributes, "extension", "data"), at.Item.Extension.Data),
	}
	data.Member(shape.InAttributes, "reserved").OptionalFlag()
	if err := in.Err(); err != nil {
		return patch, err
	}
	if err := now.RefuseOthers(in, "displayName", "hidden", "reserved", "parent", "extension"); err != nil {
		return patch, err
	}
	return patch, h.told(r.Context(), h.rules.MayChangeItem(at, patch), shape.Sources{tree.AtName: atDisplayName})
}

// reserving is an act on who has reserved an item.
type reserving func(ctx context.Context, change storage.Change, at access.ItemSpot) (access.ItemSpot, error)

// reservation returns what the document does to the reservation of the item,
// nil for nothing. That is an act of its own, so nothing else may change with
// it.
func (h *Handler) reservation(in *jsonapi.Input, at access.ItemSpot, change storage.Change,
	patch storage.ItemPatch) (reserving, error) {
	wanted := in.Member("data", shape.InAttributes, "reserved").OptionalFlag()
	if wanted == nil {
		return nil, nil
	}
	holder := at.Item.ReservedFor(change.At)
	as := holder != ""
	switch others := patch != (storage.ItemPatch{}); {
	case others && *wanted == as, !*wanted && !as:
		return nil, nil
	case others:
		return nil, fault.New(fault.Invalid, jsonapi.ReasonInvalid,
			"Reserve or release the item in a request of its own.").At(atReserved)
	case *wanted && change.Caller.UserID == "":
		return nil, fault.New(fault.Invalid, jsonapi.ReasonInvalid,
			"Only a user can reserve an item: name one in x-user-id.").At(atReserved)
	case *wanted:
		return h.rules.Reserve, nil
	}
	return h.rules.Release, nil
}
