package tree

import (
	"context"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// CreateProject implements storage.ProjectStore.
func (s *Tree) CreateProject(ctx context.Context, change storage.Change, project storage.Project,
	top []storage.Folder) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.HubMustExist(ctx, project.HubID); err != nil {
			return err
		}
		row := hubs.NewProjectRow(project)
		var ids []int64
		if err := tx.List(ctx, &ids, hubs.InsertProject, row); err != nil {
			return err
		}
		if len(ids) == 0 {
			return fault.New(fault.Conflict, "", "There is a project with this id already.")
		}
		row.ID = ids[0]
		if err := tx.plantTree(ctx, change, row, top); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventProjectCreated, row.Event(), engine.Detail{"name": project.Name})
	})
}

// plantTree makes the root of a project and the folders in it.
func (t tx) plantTree(ctx context.Context, change storage.Change, project hubs.ProjectRow, top []storage.Folder) error {
	stamp, name := stampOf(change), rootName(project.UID)
	root, err := t.addFolder(ctx, newFolder(stamp, project,
		storage.Folder{ID: project.RootUID, Kind: storage.FolderRoot, Name: name}), spot{})
	if err != nil {
		return err
	}
	for _, folder := range top {
		if _, err := t.addFolder(ctx, newFolder(stamp, project, folder), root.spot()); err != nil {
			return err
		}
	}
	return t.note(ctx, change, root.spot(), len(top))
}

// rootName is what clients know the hidden root of a project by.
func rootName(projectID string) string {
	return strings.TrimPrefix(projectID, "b.") + "-root-folder"
}
