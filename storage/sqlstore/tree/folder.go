package tree

import (
	"cmp"
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// Queries of one folder.
var (
	selectFolder = `
SELECT ` + wholeFolder() + `
FROM folders f JOIN projects p ON p.id = f.project_id` + joinFolder + `
WHERE f.uid = :uid AND p.id = :project_id`

	lockFolder = selectFolder + `
FOR UPDATE OF f`

	selectFolderPlace = hubs.WayUp + `b.uid = :folder_uid` + hubs.WayUpEnd + `
SELECT ` + hubs.PlaceColumns + `, ` + hubs.Granted + `, ` + wholeFolder() + `
FROM projects p` + hubs.JoinPlace + hubs.JoinGranted + `
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
SELECT f.uid AS id, f.name, f.kind, f.hidden, coalesce(` + hubs.GrantedThere + `, 0) AS granted
FROM (SELECT id, step FROM up LIMIT 26) up JOIN folders f ON f.id = up.id ORDER BY up.step DESC`

// FindFolder implements storage.FolderStore.
func (s *Tree) FindFolder(ctx context.Context, caller storage.Caller, projectID,
	folderID string) (storage.Place, storage.Folder, error) {
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
	all, err := engine.All[storage.Ancestor](ctx, s.db, selectAncestors, engine.Args{
		"user_id": userID, "project_uid": projectID, "folder_uid": folderID,
	})
	if err == nil && len(all) == 0 {
		err = engine.Absent("folder")
	}
	level := storage.LevelNone
	for depth := range all {
		level = max(level, all[depth].Granted)
		all[depth].Depth, all[depth].Granted = depth, level
	}
	return all, err
}

// folder reads a folder inside a transaction.
func (t tx) folder(ctx context.Context, query string, project hubs.ProjectRow, uid string) (folderRow, error) {
	var row onlyFolder
	err := t.Get(ctx, &row, query, engine.Args{"uid": uid, "project_id": project.ID})
	return row.Folder, engine.OrAbsentRow(err, "folder")
}

const (
	insertFolderPath = `
INSERT INTO folder_paths (folder_id, path, visible) VALUES (:id, :path, :visible)`

	selectFolderID = `
SELECT uid FROM folders WHERE uid = :id`
)

var insertFolder = engine.Insert("folders", newFolderColumns) + `
ON CONFLICT DO NOTHING
RETURNING id`

// addFolder puts a folder into a parent; one without is a root.
func (t tx) addFolder(ctx context.Context, row folderRow, parent spot) (folderRow, error) {
	row.ParentID, row.Kind = parent.UID, cmp.Or(row.Kind, storage.FolderNormal)
	if parent.ID != 0 {
		row.ParentKey = &parent.ID
	}
	var ids []int64
	if err := t.List(ctx, &ids, insertFolder, row); err != nil {
		return row, err
	}
	if len(ids) == 0 {
		return row, t.takenFolder(ctx, row.ID)
	}
	row.Key, row.Path = ids[0], parent.Path+segment(ids[0])
	_, err := t.Exec(ctx, insertFolderPath, engine.Args{"id": row.Key, "path": row.Path, "visible": true})
	return row, err
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
