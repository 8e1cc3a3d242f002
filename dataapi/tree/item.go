package tree

import (
	"cmp"
	"context"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// ReasonRenameByVersion is that of a name that changes with a new version only.
const ReasonRenameByVersion = "rename_by_version"

// AddItem creates an item, whose folder, name and extension are taken, with its
// first version, from bytes or as a copy, where the caller may. One that breaks the
// project's rule of names may come to lie in the folder for such files.
func (a *Rules) AddItem(ctx context.Context, change storage.Change, projectID string, item storage.Item,
	first storage.NewVersion) (access.ItemSpot, error) {
	into, err := a.find.Folder(ctx, change.Caller, projectID, item.FolderID)
	if err == nil {
		err = access.MayAddItem(into.Standing)
	}
	if err == nil {
		err = notInRoot(into.Folder)
	}
	if err != nil {
		return access.ItemSpot{}, shape.Placed(err, AtParent)
	}
	if first.CopyFrom != nil {
		if err := a.likeSource(ctx, change, projectID, *first.CopyFrom, &item); err != nil {
			return access.ItemSpot{}, err
		}
	}
	if into, err = a.placeFor(ctx, into, item.Name); err != nil {
		return access.ItemSpot{}, shape.Placed(err, AtName)
	}
	item.ID, item.FolderID = a.ambient.UID(), into.Folder.ID
	made, err := a.store.CreateItem(ctx, change, projectID, item, first)
	return access.ItemSpot{Spot: into, ItemWithTip: made}, placed(err)
}

// likeSource gives an item what it lacks, from the version that it is a copy of.
func (a *Rules) likeSource(ctx context.Context, change storage.Change, projectID string, ref storage.VersionRef,
	item *storage.Item) error {
	from, version, err := a.mayCopyFrom(ctx, change.Caller, projectID, ref)
	if err != nil {
		return err
	}
	item.Name = cmp.Or(item.Name, version.Name)
	if item.Extension.Type == "" {
		item.Extension.Type, item.Extension.Version = from.Item.Extension.Type, from.Item.Extension.Version
	}
	return nil
}

// notInRoot refuses items beside the top folders: nobody would find them there.
func notInRoot(folder storage.Folder) error {
	if folder.Kind != storage.FolderRoot {
		return nil
	}
	return fault.New(fault.Invalid, storage.ReasonRootFolder, "Items lie in folders, and not in the root of the project.")
}

// MayChangeItem decides whether the caller, who reached the item, may change it so.
func (a *Rules) MayChangeItem(at access.ItemSpot, patch storage.ItemPatch) error {
	if patch.Name != nil && IsDocument(at.Item.Extension) {
		return RenameByVersion()
	}
	return mayPatch(at.Standing, patch.Name != nil || patch.ExtensionData != nil, patch.Hidden != nil,
		patch.FolderID != nil)
}

// RenameByVersion tells the way out (decision J7).
func RenameByVersion() error {
	return fault.New(fault.Forbidden, ReasonRenameByVersion,
		"Documents are renamed by a new version: POST it to versions with the new name, and with copyFrom for the same bytes.").At(AtName)
}

// ChangeItem changes the item that the caller reached, where they may.
func (a *Rules) ChangeItem(ctx context.Context, change storage.Change, at access.ItemSpot,
	patch storage.ItemPatch) (access.ItemSpot, error) {
	if err := a.MayChangeItem(at, patch); err != nil {
		return access.ItemSpot{}, err
	}
	to := at.Spot
	if patch.FolderID != nil {
		var err error
		if to, err = a.target(ctx, change.Caller, at.Spot, *patch.FolderID); err != nil {
			return access.ItemSpot{}, shape.Placed(err, AtParent)
		}
	}
	if err := a.mayBeCalled(ctx, at, patch); err != nil {
		return access.ItemSpot{}, shape.Placed(err, AtName)
	}
	done, err := a.store.UpdateItem(ctx, change, at.Project.ID, at.Item.ID, patch)
	return access.ItemSpot{Spot: to, ItemWithTip: done}, placed(access.OrRemoved(err, "item"))
}

// target finds the folder to move an item to, if the caller may.
func (a *Rules) target(ctx context.Context, who storage.Caller, from access.Spot, id string) (access.Spot, error) {
	to, err := a.find.Folder(ctx, who, from.Project.ID, id)
	if err == nil {
		err = access.MayMove(to.Standing)
	}
	if err == nil {
		err = notInRoot(to.Folder)
	}
	return to, err
}

// Reserve reserves the item that the caller reached for them, where they may.
func (a *Rules) Reserve(ctx context.Context, change storage.Change, at access.ItemSpot) (access.ItemSpot, error) {
	if err := access.MayReserve(at.Standing); err != nil {
		return at, shape.Placed(err, AtReserved)
	}
	return reserved(at)(a.store.ReserveItem(ctx, change, at.Project.ID, at.Item.ID))
}

// Release ends the reservation of the item: the caller's own, or another's where
// they may break it.
func (a *Rules) Release(ctx context.Context, change storage.Change, at access.ItemSpot) (access.ItemSpot, error) {
	if at.Item.ReservedFor(change.At) != change.Caller.UserID && access.MayBreak(at.Standing) {
		return reserved(at)(a.store.BreakReservation(ctx, change, at.Project.ID, at.Item.ID))
	}
	return reserved(at)(a.store.ReleaseItem(ctx, change, at.Project.ID, at.Item.ID))
}

// reserved is what becomes of an item whose reservation changes.
func reserved(at access.ItemSpot) func(storage.ItemWithTip, error) (access.ItemSpot, error) {
	return func(item storage.ItemWithTip, err error) (access.ItemSpot, error) {
		at.ItemWithTip = item
		if fault.HasReason(err, storage.ReasonItemHidden) {
			err = fault.From(err).At(AtReserved)
		}
		return at, placed(access.OrRemoved(err, "item"))
	}
}
