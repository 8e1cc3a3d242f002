package tree

import (
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

type folderRow struct {
	ID         int64  `db:"id"`
	UID        string `db:"uid"`
	ProjectUID string `db:"project_uid"`
	ParentUID  string `db:"parent_uid"`
	Name       string `db:"name"`
	NameKey    string `db:"name_key"`
	Kind       string `db:"kind"`
	Hidden     bool   `db:"hidden"`
	hubs.ExtensionRow
	Revision int64 `db:"revision"`
	hubs.StampRow
	RollupAt    engine.Instant `db:"rollup_at"`
	ObjectCount int            `db:"object_count"`
	Path        string         `db:"path"`
	Visible     bool           `db:"visible"`
}

const (
	ownFolderColumns = `id, uid, name, name_key, kind, hidden, extension_type, extension_version, extension_data,
	revision, created_at, created_by, modified_at, modified_by`

	// What joinFolder needs besides folder f.
	joinFolder = `
JOIN folder_paths fp ON fp.folder_id = f.id
LEFT JOIN folders fu ON fu.id = f.parent_id{pending}`
)

// folderColumns are those of folder f of project p.
func folderColumns() string { return folderColumnsIn("p.uid", "coalesce(fu.uid, '')") }

// folderColumnsIn are those of folder f; where it lies is named by the caller.
func folderColumnsIn(projectUID, parentUID string) string {
	return engine.Prefixed("f", "folder", ownFolderColumns) +
		`, ` + projectUID + ` AS "folder.project_uid", ` + parentUID + ` AS "folder.parent_uid"` +
		`, {rollup_at} AS "folder.rollup_at", {object_count} AS "folder.object_count"` +
		`, fp.path AS "folder.path", fp.visible AS "folder.visible"`
}

func (r folderRow) record() storage.Folder {
	return storage.Folder{
		ID: r.UID, ProjectID: r.ProjectUID, ParentID: r.ParentUID, Name: r.Name, Kind: r.Kind,
		Depth: depthOf(r.Path), Hidden: r.Hidden, Visible: r.Visible,
		Extension: r.ExtensionRow.Record(), Revision: r.Revision, Stamp: r.StampRow.Record(),
		RollupAt: r.RollupAt.Time, ObjectCount: r.ObjectCount,
	}
}

func (r folderRow) spot() spot {
	return spot{ID: r.ID, UID: r.UID, Path: r.Path, Visible: r.Visible}
}

// onlyFolder is a row with nothing but a folder.
type onlyFolder struct {
	Folder folderRow `db:"folder"`
}

func (r onlyFolder) record() storage.Folder { return r.Folder.record() }
