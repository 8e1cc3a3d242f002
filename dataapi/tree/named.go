package tree

import (
	"context"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/naming"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// placeFor returns the folder for a new file of the name: the one that was asked
// for, or that which holds what breaks the project's rule, if there is one and the
// caller may put something there.
func (a *Rules) placeFor(ctx context.Context, into access.Spot, name string) (access.Spot, error) {
	rule, err := a.store.FindNaming(ctx, into.Project.ID)
	if err != nil || into.Folder.ID == rule.Holding {
		return into, err
	}
	wrong := naming.Check(rule, name)
	if wrong == nil || rule.Holding == "" {
		return into, wrong
	}
	holding, err := a.find.Folder(ctx, into.Standing.Caller, into.Project.ID, rule.Holding)
	if err == nil {
		err = access.MayAddItem(holding.Standing)
	}
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden) || err == nil && !holding.Folder.Visible {
		return into, wrong
	}
	return holding, err
}

// mayBeCalled refuses a name that breaks the rule of the project for a file that
// gets it, or that comes with it out of the folder for such files.
func (a *Rules) mayBeCalled(ctx context.Context, at access.ItemSpot, patch storage.ItemPatch) error {
	if patch.Name == nil && patch.FolderID == nil {
		return nil
	}
	rule, err := a.store.FindNaming(ctx, at.Project.ID)
	if err != nil || rule.Holding != "" && folderOf(at, patch) == rule.Holding {
		return err
	}
	switch {
	case patch.Name != nil:
		return naming.Check(rule, *patch.Name)
	case rule.Holding != "" && at.Folder.ID == rule.Holding:
		return naming.Check(rule, at.Item.Name)
	}
	return nil
}

// folderOf is where an item lies with a patch.
func folderOf(at access.ItemSpot, patch storage.ItemPatch) string {
	if patch.FolderID != nil {
		return *patch.FolderID
	}
	return at.Folder.ID
}
