package tree

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// Queries of one folder.
var (
	selectFolder = `
SELECT ` + folderColumns() + `
FROM folders f JOIN projects p ON p.id = f.project_id` + joinFolder + `
WHERE f.uid = :uid AND p.id = :project_id`

	lockFolder = selectFolder + `
FOR UPDATE OF f`

	selectFolderPlace = hubs.WayUp + `b.uid = :folder_uid` + hubs.WayUpEnd + `
SELECT ` + hubs.PlaceColumns + `, ` + hubs.Granted + `, ` + folderColumns() + `
FROM projects p` + hubs.JoinPlace + `
JOIN folders f ON f.uid = :folder_uid AND f.project_id = p.id` + joinFolder + `
WHERE p.uid = :project_uid`
)

// As wayUp, counting the steps. The limit is what no path exceeds: it keeps
// PostgreSQL from expecting so many that it would rather read all folders.
const selectAncestors = `
WITH RECURSIVE up (id, parent_id, step) AS (
	SELECT b.id, b.parent_id, 0 FROM folders b
	WHERE b.uid = :folder_uid AND b.project_id = (SELECT id FROM projects WHERE uid = :project_uid)
	UNION ALL
	SELECT up.parent_id, (SELECT b.parent_id FROM folders b WHERE b.id = up.parent_id), up.step + 1
	FROM up WHERE up.parent_id IS NOT NULL
)
SELECT f.uid, f.name, f.kind, f.hidden, coalesce(` + hubs.GrantedThere + `, 0) AS level
FROM (SELECT id, step FROM up LIMIT 26) up JOIN folders f ON f.id = up.id ORDER BY up.step DESC`

// FindFolder implements storage.FolderStore.
func (s *Tree) FindFolder(ctx context.Context, caller storage.Caller, projectID, folderID string) (storage.Place, storage.Folder, error) {
	var row struct {
		hubs.PlaceRow
		onlyFolder
	}
	arg := hubs.CallerArgs(caller)
	arg["project_uid"], arg["folder_uid"] = projectID, folderID
	err := s.db.Get(ctx, &row, selectFolderPlace, arg)
	return row.Place(caller), row.Folder.record(), engine.OrAbsent(err, "folder")
}

// ListAncestors implements storage.FolderStore.
func (s *Tree) ListAncestors(ctx context.Context, userID, projectID, folderID string) ([]storage.Ancestor, error) {
	var rows []struct {
		UID    string `db:"uid"`
		Name   string `db:"name"`
		Kind   string `db:"kind"`
		Hidden bool   `db:"hidden"`
		Level  int64  `db:"level"`
	}
	err := s.db.List(ctx, &rows, selectAncestors, engine.Args{
		"user_id": userID, "project_uid": projectID, "folder_uid": folderID,
	})
	if err != nil {
		return nil, engine.AsFault(err)
	}
	if len(rows) == 0 {
		return nil, engine.Absent("folder")
	}
	var all []storage.Ancestor
	level := storage.LevelNone
	for depth, r := range rows {
		level = max(level, storage.Level(r.Level))
		all = append(all, storage.Ancestor{
			ID: r.UID, Name: r.Name, Kind: r.Kind, Depth: depth, Hidden: r.Hidden, Granted: level,
		})
	}
	return all, nil
}

// folder reads a folder inside a transaction.
func (t tx) folder(ctx context.Context, query string, project hubs.ProjectRow, uid string) (folderRow, error) {
	var row onlyFolder
	err := t.Get(ctx, &row, query, engine.Args{"uid": uid, "project_id": project.ID})
	return row.Folder, engine.OrAbsentRow(err, "folder")
}

const (
	insertFolder = `
INSERT INTO folders (uid, project_id, parent_id, name, name_key, kind, hidden, extension_type, extension_version,
	extension_data, revision, created_at, created_by, modified_at, modified_by, rollup_at, object_count)
VALUES (:uid, :project_id, :parent_id, :name, :name_key, :kind, false, :extension_type, :extension_version,
	:extension_data, 1, :created_at, :created_by, :modified_at, :modified_by, :created_at, 0)
ON CONFLICT DO NOTHING
RETURNING id`

	insertFolderPath = `
INSERT INTO folder_paths (folder_id, path, visible) VALUES (:id, :path, :visible)`

	selectFolderID = `
SELECT uid FROM folders WHERE uid = :id`
)

// newFolderRow is the row that insertFolder takes.
type newFolderRow struct {
	UID       string `db:"uid"`
	ProjectID int64  `db:"project_id"`
	ParentID  *int64 `db:"parent_id"`
	Name      string `db:"name"`
	NameKey   string `db:"name_key"`
	Kind      string `db:"kind"`
	hubs.ExtensionRow
	hubs.StampRow
}

// record is the folder as it is in its parent when it is new.
func (r newFolderRow) record(project hubs.ProjectRow, parent spot) storage.Folder {
	return storage.Folder{
		ID: r.UID, ProjectID: project.UID, ParentID: parent.UID, Name: r.Name, Kind: r.Kind, Depth: depthOf(parent.Path) + 1, Visible: true,
		Extension: r.ExtensionRow.Record(), Revision: 1, Stamp: r.StampRow.Record(), RollupAt: r.CreatedAt.Time,
	}
}

// addFolder puts a folder into a parent; one without is a root.
func (t tx) addFolder(ctx context.Context, row newFolderRow, parent spot) (spot, error) {
	if parent.ID != 0 {
		row.ParentID = &parent.ID
	}
	if row.Kind == "" {
		row.Kind = storage.FolderNormal
	}
	var ids []int64
	if err := t.List(ctx, &ids, insertFolder, row); err != nil {
		return spot{}, err
	}
	if len(ids) == 0 {
		return spot{}, t.takenFolder(ctx, row.UID)
	}
	folder := spot{ID: ids[0], UID: row.UID, Path: parent.Path + segment(ids[0]), Visible: true}
	_, err := t.Exec(ctx, insertFolderPath, engine.Args{"id": folder.ID, "path": folder.Path, "visible": true})
	return folder, err
}

// takenFolder finds out what was in the way of a folder.
func (t tx) takenFolder(ctx context.Context, uid string) error {
	idTaken, err := t.Lock(ctx, selectFolderID, uid)
	if err != nil {
		return err
	}
	if idTaken {
		return fault.New(fault.Conflict, "", "There is a folder with this id already.")
	}
	return nameTaken("folder")
}
