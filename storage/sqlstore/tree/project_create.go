package tree

import (
	"context"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

const insertProject = `
INSERT INTO projects (uid, hub_id, name, name_key, type, extension_type, extension_version, extension_data,
	active, archived, root_uid, created_at, updated_at)
VALUES (:uid, :hub_id, :name, :name_key, :type, :extension_type, :extension_version, :extension_data,
	:active, :archived, :root_uid, :created_at, :updated_at)
ON CONFLICT DO NOTHING
RETURNING id`

// CreateProject implements storage.ProjectStore.
func (s *Tree) CreateProject(ctx context.Context, change storage.Change, project storage.Project, top []storage.Folder) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.HubMustExist(ctx, project.HubID); err != nil {
			return err
		}
		row := hubs.NewProjectRow(project)
		var ids []int64
		if err := tx.List(ctx, &ids, insertProject, row); err != nil {
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
	root, err := t.addFolder(ctx, newFolderRow{
		UID: project.RootUID, ProjectID: project.ID, Kind: storage.FolderRoot,
		Name: rootName(project.UID), NameKey: textkey.Fold(rootName(project.UID)), StampRow: hubs.NewStamp(change),
	}, spot{})
	if err != nil {
		return err
	}
	for _, folder := range top {
		_, err := t.addFolder(ctx, newFolderRow{
			UID: folder.ID, ProjectID: project.ID, Kind: folder.Kind, Name: folder.Name, NameKey: textkey.Fold(folder.Name),
			ExtensionRow: hubs.NewExtensionRow(folder.Extension), StampRow: hubs.NewStamp(change),
		}, root)
		if err != nil {
			return err
		}
	}
	return t.note(ctx, change, root, len(top))
}

// rootName is what clients know the hidden root of a project by.
func rootName(projectID string) string {
	return strings.TrimPrefix(projectID, "b.") + "-root-folder"
}
