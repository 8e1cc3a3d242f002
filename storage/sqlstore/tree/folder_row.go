package tree

import (
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// folderRow is a folder with the keys of the tables.
type folderRow struct {
	Key, ProjectKey int64
	ParentKey       *int64
	NameKey, Path   string
	storage.Folder
}

const (
	folderColumns = `uid=id, kind, hidden, extension_type, extension_version, revision, created_at, created_by,
	modified_at, modified_by, ` + ownFolderColumns

	// What is other when a folder is changed.
	ownFolderColumns = `name, name_key, extension_data`

	newFolderColumns = `project_id=project_key, parent_id=parent_key, rollup_at, object_count, ` + folderColumns

	// What joinFolder needs besides folder f.
	joinFolder = `
JOIN folder_paths fp ON fp.folder_id = f.id
LEFT JOIN folders fu ON fu.id = f.parent_id{pending}`
)

// wholeFolder are the columns of folder f of project p.
func wholeFolder() string { return wholeFolderIn("p.uid", "coalesce(fu.uid, '')") }

// wholeFolderIn are those of folder f; where it lies is named by the caller.
func wholeFolderIn(projectUID, parentUID string) string {
	return engine.Prefixed("f", "folder", "id=key, "+folderColumns) +
		`, ` + projectUID + ` AS "folder.project_id", ` + parentUID + ` AS "folder.parent_id"` +
		`, {rollup_at} AS "folder.rollup_at", {object_count} AS "folder.object_count"` +
		`, fp.path AS "folder.path", fp.visible AS "folder.visible"`
}

// newFolder is a folder as it is in its parent when it is new.
func newFolder(stamp storage.Stamp, project hubs.ProjectRow, folder storage.Folder) folderRow {
	folder.ProjectID, folder.Hidden, folder.Visible, folder.Revision = project.UID, false, true, 1
	folder.Stamp, folder.RollupAt, folder.ObjectCount = stamp, stamp.CreatedAt, 0
	return folderRow{ProjectKey: project.ID, NameKey: textkey.Fold(folder.Name), Folder: folder}
}

func (r folderRow) record() storage.Folder {
	r.Depth = depthOf(r.Path)
	return r.Folder
}

func (r folderRow) spot() spot { return spot{ID: r.Key, UID: r.ID, Path: r.Path, Visible: r.Visible} }

// onlyFolder is a row with nothing but a folder.
type onlyFolder struct {
	Folder folderRow `db:"folder"`
}

func (r onlyFolder) record() storage.Folder { return r.Folder.record() }
