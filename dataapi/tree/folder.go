package tree

import (
	"context"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// AddFolder creates a folder, whose parent, name and extension are taken, where the
// caller may.
func (a *Rules) AddFolder(ctx context.Context, change storage.Change, projectID string,
	folder storage.Folder) (access.Spot, error) {
	parent, err := a.find.Folder(ctx, change.Caller, projectID, folder.ParentID)
	if err == nil {
		err = access.MayAddFolder(parent.Standing)
	}
	if err != nil {
		return access.Spot{}, shape.Placed(err, AtParent)
	}
	folder.ID = a.ambient.UID()
	made, err := a.store.CreateFolder(ctx, change, projectID, folder)
	return access.Spot{Place: parent.Place, Folder: made}, placed(err)
}

// MayChangeFolder decides whether the caller, who reached the folder, may change it
// so.
func (a *Rules) MayChangeFolder(at access.Spot, patch storage.FolderPatch) error {
	return mayPatch(at.Standing, patch.Name != nil || patch.ExtensionData != nil, patch.Hidden != nil,
		patch.ParentID != nil)
}

// ChangeFolder changes the folder that the caller reached, where they may.
func (a *Rules) ChangeFolder(ctx context.Context, change storage.Change, at access.Spot,
	patch storage.FolderPatch) (access.Spot, error) {
	if err := a.MayChangeFolder(at, patch); err != nil {
		return access.Spot{}, err
	}
	place := at.Place
	if patch.ParentID != nil {
		to, err := a.find.Folder(ctx, change.Caller, at.Project.ID, *patch.ParentID)
		if err == nil {
			err = access.MayMove(to.Standing)
		}
		if err != nil {
			return access.Spot{}, shape.Placed(err, AtParent)
		}
		place = to.Place
	}
	done, err := a.store.UpdateFolder(ctx, change, at.Project.ID, at.Folder.ID, patch)
	err = access.OrRemoved(err, "folder")
	if fault.HasReason(err, storage.ReasonFilesFolder) {
		err = fault.From(err).At(patchedAt(patch))
	}
	return access.Spot{Place: place, Folder: done}, placed(err)
}

// patchedAt is the place of the first change.
func patchedAt(patch storage.FolderPatch) string {
	switch {
	case patch.Name != nil:
		return AtName
	case patch.Hidden != nil:
		return AtHidden
	}
	return AtParent
}

// mayPatch decides what the caller may change of a thing where they stand so.
func mayPatch(s storage.Standing, renames, hides, moves bool) error {
	for _, rule := range []struct {
		applies bool
		check   func(storage.Standing) error
		at      string
	}{
		{renames, access.MayRename, AtAttributes},
		{hides, access.MayHide, AtHidden},
		{moves, access.MayMove, AtParent},
	} {
		if !rule.applies {
			continue
		}
		if err := rule.check(s); err != nil {
			return shape.Placed(err, rule.at)
		}
	}
	return nil
}
