package sqlstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/portico-id/portico/storage"
)

// grantedRow is a folder in which something is granted to the caller.
type grantedRow struct {
	ID      int64  `db:"id"`
	Path    string `db:"path"`
	Visible bool   `db:"visible"`
	Level   int64  `db:"level"`
}

const (
	selectGranted = `
SELECT g.folder_id AS id, fp.path, fp.visible, max(g.level) AS level
FROM ` + grantees + ` me
JOIN folder_grants g ON g.grantee = me.id AND g.project_id = (SELECT id FROM projects WHERE uid = :project_uid)
{path of g}
GROUP BY g.folder_id, fp.path, fp.visible`

	selectBelowRoot = `
SELECT fp.folder_id AS id, fp.path, fp.visible, 0 AS level
FROM folders f JOIN folder_paths fp ON fp.folder_id = f.id WHERE f.parent_id = :id`
)

// ListTopFolders implements storage.FolderStore.
func (s *Store) ListTopFolders(ctx context.Context, place storage.Place, withHidden bool) ([]storage.Folder, error) {
	standing := place.Standing
	if standing.Everywhere() {
		return s.listBelowRoot(ctx, place, withHidden)
	}
	most := storage.LevelControl
	if standing.Caller.OnBehalf {
		most = standing.AppLevel
	}
	if !standing.Admitted() {
		return nil, nil
	}
	candidates, err := s.topCandidates(ctx, standing.Caller.UserID, place.Project.ID)
	if err != nil {
		return nil, asFault(err)
	}
	return s.foldersByID(ctx, place.Project.ID, highest(candidates, most, withHidden))
}

// listBelowRoot is what callers get whose rights don't depend on folders.
func (s *Store) listBelowRoot(ctx context.Context, place storage.Place, withHidden bool) ([]storage.Folder, error) {
	level := place.Standing.Level()
	if level < storage.LevelView {
		return nil, nil
	}
	f := newFilter()
	f.add("f.parent_id = (SELECT id FROM folders WHERE uid = " + f.bind(place.Project.RootFolderID) + ")")
	if !withHidden || level < storage.LevelEdit {
		f.add("NOT f.hidden")
	}
	return s.listFolders(ctx, f)
}

// topCandidates returns the folders that can be highest, with what is granted
// on each, in the order of their paths: a folder comes after all above it.
// A grant on the root counts for each folder in it.
func (s *Store) topCandidates(ctx context.Context, userID, projectID string) ([]grantedRow, error) {
	var rows []grantedRow
	err := s.reader.list(ctx, &rows, selectGranted, args{"user_id": userID, "project_uid": projectID})
	if err != nil {
		return nil, err
	}
	isRoot := func(r grantedRow) bool { return depthOf(r.Path) == 0 }
	if i := slices.IndexFunc(rows, isRoot); i >= 0 {
		var below []grantedRow
		if err := s.reader.list(ctx, &below, selectBelowRoot, args{"id": rows[i].ID}); err != nil {
			return nil, err
		}
		rows = append(rows, below...)
	}
	slices.SortFunc(rows, func(a, b grantedRow) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(b.Level, a.Level))
	})
	return slices.CompactFunc(rows, func(a, b grantedRow) bool { return a.ID == b.ID }), nil
}

// highest returns the folders that the caller can read while none above them
// can be read. The root itself is never one.
func highest(rows []grantedRow, most storage.Level, withHidden bool) []int64 {
	var ids []int64
	var above []grantedRow // the granted folders that lead to the row, with their effective level
	kept := "/"            // the path of the last folder kept; no path starts like this
	for _, row := range rows {
		for len(above) > 0 && !below(row.Path, above[len(above)-1].Path) {
			above = above[:len(above)-1]
		}
		if len(above) > 0 {
			row.Level = max(row.Level, above[len(above)-1].Level)
		}
		above = append(above, row)
		level := min(storage.Level(row.Level), most)
		readable := level >= storage.LevelView && row.Visible || level >= storage.LevelEdit && withHidden
		if readable && depthOf(row.Path) > 0 && !below(row.Path, kept) {
			ids, kept = append(ids, row.ID), row.Path
		}
	}
	return ids
}

// foldersByID reads folders of a project, ordered by name key and id.
func (s *Store) foldersByID(ctx context.Context, projectID string, ids []int64) ([]storage.Folder, error) {
	d := s.reader.dialect
	var rows []onlyFolder
	err := s.reader.list(ctx, &rows, d.foldersByID(), args{"ids": d.array(ids), "project_uid": projectID})
	return records(rows, onlyFolder.record), asFault(err)
}

// listFolders returns the folders f that fit, ordered by name key and id.
func (s *Store) listFolders(ctx context.Context, f *filter) ([]storage.Folder, error) {
	rows, err := s.folderRows(ctx, f)
	return records(rows, onlyFolder.record), err
}

func (s *Store) folderRows(ctx context.Context, f *filter) ([]onlyFolder, error) {
	var rows []onlyFolder
	text := "SELECT " + folderColumns() + "\nFROM folders f JOIN projects p ON p.id = f.project_id" + joinFolder +
		f.clause() + "\nORDER BY f.name_key, f.id"
	return rows, asFault(s.reader.list(ctx, &rows, text, f.args))
}
