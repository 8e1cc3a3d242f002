package dataapi

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// ReasonRenameByVersion is that of a name that changes with a new version only.
const ReasonRenameByVersion = "rename_by_version"

const atReserved = atAttributes + "/reserved"

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
	if act != nil {
		at.ItemWithTip, err = act(r.Context(), change, at.Project.ID, at.Item.ID)
		return at, h.tell.Located(r.Context(), access.OrRemoved(err, "item"),
			shape.Sources{storage.ReasonItemHidden: atReserved, storage.ReasonNotReserved: atReserved})
	}
	to := at.Spot
	if patch.FolderID != nil {
		if to, err = h.target(r, at.Spot, *patch.FolderID); err != nil {
			return access.ItemSpot{}, shape.Placed(err, atParent)
		}
	}
	if err := h.mayBeCalled(r.Context(), at, patch); err != nil {
		return access.ItemSpot{}, shape.Placed(err, nameOrElse(in, "displayName"))
	}
	done, err := h.store.UpdateItem(r.Context(), change, at.Project.ID, at.Item.ID, patch)
	return access.ItemSpot{Spot: to, ItemWithTip: done},
		h.tell.Located(r.Context(), access.OrRemoved(err, "item"), shape.Sources{
			storage.ReasonParentAbsent: atParent, storage.ReasonParentHidden: atParent,
			storage.ReasonNameTaken: nameOrElse(in, "displayName"),
		})
}

// target finds the folder to move an item to, if the caller may.
func (h *Handler) target(r *http.Request, from access.Spot, id string) (access.Spot, error) {
	to, err := h.find.Folder(r.Context(), from.Standing.Caller, from.Project.ID, id)
	if err == nil {
		err = access.MayMove(to.Standing)
	}
	if err == nil {
		err = notInRoot(to.Folder)
	}
	return to, err
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
	if patch.Name != nil && isDocument(at.Item.Extension) {
		return patch, renameByVersion(atDisplayName)
	}
	return patch, mayPatch(at.Standing, patch.Name != nil ||
		patch.ExtensionData != nil, patch.Hidden != nil, patch.FolderID != nil)
}

// renameByVersion tells the way out (decision J7).
func renameByVersion(place string) error {
	return fault.New(fault.Forbidden, ReasonRenameByVersion,
		"Documents are renamed by a new version: POST it to versions with the new name, and with copyFrom for the same bytes.").At(place)
}

// reserving is an act of the store on who has reserved an item.
type reserving func(ctx context.Context, change storage.Change, projectID, itemID string) (storage.ItemWithTip, error)

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
		return h.store.ReserveItem, shape.Placed(access.MayReserve(at.Standing), atReserved)
	case holder != change.Caller.UserID && access.MayBreak(at.Standing):
		return h.store.BreakReservation, nil
	}
	return h.store.ReleaseItem, nil
}
