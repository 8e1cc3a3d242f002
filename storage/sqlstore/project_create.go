package sqlstore

import (
	"context"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

const insertProject = `
INSERT INTO projects (uid, hub_id, name, name_key, type, extension_type, extension_version, extension_data,
	active, archived, root_uid, created_at, updated_at)
VALUES (:uid, :hub_id, :name, :name_key, :type, :extension_type, :extension_version, :extension_data,
	:active, :archived, :root_uid, :created_at, :updated_at)
ON CONFLICT DO NOTHING
RETURNING id`

// CreateProject implements storage.ProjectStore.
func (s *Store) CreateProject(ctx context.Context, change storage.Change, project storage.Project, top []storage.Folder) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.mustExist(ctx, "hub", selectHubID, project.HubID); err != nil {
			return err
		}
		row := newProjectRow(project)
		var ids []int64
		if err := tx.list(ctx, &ids, insertProject, row); err != nil {
			return err
		}
		if len(ids) == 0 {
			return fault.New(fault.Conflict, "", "There is a project with this id already.")
		}
		row.ID = ids[0]
		if err := tx.plantTree(ctx, change, row, top); err != nil {
			return err
		}
		return tx.tell(ctx, change, storage.EventProjectCreated, row.event(), detail{"name": project.Name})
	})
}

// plantTree makes the root of a project and the folders in it.
func (t tx) plantTree(ctx context.Context, change storage.Change, project projectRow, top []storage.Folder) error {
	root, err := t.addFolder(ctx, newFolderRow{
		UID: project.RootUID, ProjectID: project.ID, Kind: storage.FolderRoot,
		Name: rootName(project.UID), NameKey: textkey.Fold(rootName(project.UID)), stampRow: newStamp(change),
	}, spot{})
	if err != nil {
		return err
	}
	for _, folder := range top {
		_, err := t.addFolder(ctx, newFolderRow{
			UID: folder.ID, ProjectID: project.ID, Kind: folder.Kind, Name: folder.Name, NameKey: textkey.Fold(folder.Name),
			extensionRow: newExtensionRow(folder.Extension), stampRow: newStamp(change),
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
