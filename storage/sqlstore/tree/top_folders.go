package tree

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// grantedFolder is a folder in which something is granted to the caller.
type grantedFolder struct {
	*onlyFolder
	level storage.Level
}

const selectGrants = `
SELECT g.folder_id, max(g.level) AS level
FROM ` + hubs.Grantees + ` me
JOIN folder_grants g ON g.grantee = me.id AND g.project_id = (SELECT id FROM projects WHERE uid = :project_uid)
GROUP BY g.folder_id`

const selectPathOfKind = `
SELECT fp.path FROM folders root JOIN folders f ON f.parent_id = root.id AND f.kind = :kind
JOIN folder_paths fp ON fp.folder_id = f.id WHERE root.uid = :root`

// foldersByID does not say what lies above the folders.
var foldersByID = `
SELECT ` + wholeFolderIn(theProjectUID, "''") + `
FROM folders f JOIN folder_paths fp ON fp.folder_id = f.id{pending}
WHERE f.id {among ids}`

// ListTopFolders implements storage.FolderStore.
func (s *Tree) ListTopFolders(ctx context.Context, place storage.Place, q storage.TopQuery) ([]storage.Folder, error) {
	list := s.highestGranted
	if place.Standing.Everywhere() {
		list = s.belowRoot
	}
	rows, err := list(ctx, place, q.WithHidden)
	if err == nil && q.InProjectFiles {
		rows, err = s.inProjectFiles(ctx, place.Project, rows)
	}
	return engine.Records(rows, (*onlyFolder).record), engine.AsFault(err)
}

// inProjectFiles keeps "Project Files" and what lies in it.
func (s *Tree) inProjectFiles(ctx context.Context, project storage.Project, rows []*onlyFolder) ([]*onlyFolder, error) {
	var path string
	err := s.db.Get(ctx, &path, selectPathOfKind, engine.Args{"root": project.RootFolderID, "kind": storage.FolderFiles})
	if engine.IsNoRow(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(rows, func(row *onlyFolder) bool { return !below(row.Folder.Path, path) }), nil
}

// belowRoot is what callers get whose rights don't depend on folders.
func (s *Tree) belowRoot(ctx context.Context, place storage.Place, withHidden bool) ([]*onlyFolder, error) {
	level := place.Standing.Level()
	if level < storage.LevelView {
		return nil, nil
	}
	f := engine.NewFilter()
	f.Add("f.parent_id = (SELECT id FROM folders WHERE uid = " + f.Bind(place.Project.RootFolderID) + ")")
	if !withHidden || level < storage.LevelEdit {
		f.Add("NOT f.hidden")
	}
	return s.folderRows(ctx, f)
}

// highestGranted is what callers get whose rights are granted folder by folder.
func (s *Tree) highestGranted(ctx context.Context, place storage.Place, withHidden bool) ([]*onlyFolder, error) {
	standing := place.Standing
	most := storage.LevelControl
	if standing.Caller.OnBehalf {
		most = standing.AppLevel
	}
	if !standing.Admitted() {
		return nil, nil
	}
	candidates, err := s.topCandidates(ctx, standing.Caller.UserID, place.Project.ID)
	if err != nil {
		return nil, err
	}
	top := highest(candidates, most, withHidden)
	slices.SortFunc(top, func(a, b *onlyFolder) int {
		return cmp.Or(cmp.Compare(a.Folder.NameKey, b.Folder.NameKey), cmp.Compare(a.Folder.Key, b.Folder.Key))
	})
	return top, nil
}

// topCandidates returns the folders that can be highest, with what is granted
// on each, in the order of their paths: a folder comes after all above it.
// A grant on the root counts for each folder in it.
func (s *Tree) topCandidates(ctx context.Context, userID, projectID string) ([]grantedFolder, error) {
	all, err := s.grantedFolders(ctx, userID, projectID)
	if err != nil {
		return nil, err
	}
	isRoot := func(g grantedFolder) bool { return depthOf(g.Folder.Path) == 0 }
	if i := slices.IndexFunc(all, isRoot); i >= 0 {
		f := engine.NewFilter()
		f.Add("f.parent_id = " + f.Bind(all[i].Folder.Key))
		below, err := s.folderRows(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, withLevels(below, nil)...)
	}
	slices.SortFunc(all, func(a, b grantedFolder) int {
		return cmp.Or(cmp.Compare(a.Folder.Path, b.Folder.Path), cmp.Compare(b.level, a.level))
	})
	return slices.CompactFunc(all, func(a, b grantedFolder) bool { return a.Folder.Key == b.Folder.Key }), nil
}

// grantedFolders returns the folders that are named in grants to the user.
func (s *Tree) grantedFolders(ctx context.Context, userID, projectID string) ([]grantedFolder, error) {
	var grants []struct {
		FolderID int64
		Level    storage.Level
	}
	err := s.db.List(ctx, &grants, selectGrants, engine.Args{"user_id": userID, "project_uid": projectID})
	if err != nil {
		return nil, err
	}
	levels := make(map[int64]storage.Level, len(grants))
	for _, g := range grants {
		levels[g.FolderID] = g.Level
	}
	ids := s.db.Array(slices.Collect(maps.Keys(levels)))
	rows := make([]*onlyFolder, 0, len(levels))
	err = s.db.List(ctx, &rows, foldersByID, engine.Args{"ids": ids, "project_uid": projectID})
	return withLevels(rows, levels), err
}

// withLevels adds to folders what is granted on them, by id.
func withLevels(rows []*onlyFolder, levels map[int64]storage.Level) []grantedFolder {
	return engine.Records(rows, func(row *onlyFolder) grantedFolder { return grantedFolder{row, levels[row.Folder.Key]} })
}

// highest returns the folders that the caller can read while none above them
// can be read. The root itself is never one.
func highest(candidates []grantedFolder, most storage.Level, withHidden bool) []*onlyFolder {
	var top []*onlyFolder
	var above []grantedFolder // the candidates that lead to this one, with their effective level
	kept := "/"               // the path of the last folder kept; no path starts like this
	for _, g := range candidates {
		path := g.Folder.Path
		for len(above) > 0 && !below(path, above[len(above)-1].Folder.Path) {
			above = above[:len(above)-1]
		}
		if len(above) > 0 {
			g.level = max(g.level, above[len(above)-1].level)
		}
		above = append(above, g)
		level := min(g.level, most)
		readable := level >= storage.LevelView && g.Folder.Visible || level >= storage.LevelEdit && withHidden
		if readable && depthOf(path) > 0 && !below(path, kept) {
			top, kept = append(top, g.onlyFolder), path
		}
	}
	return top
}

// folderRows returns the folders f that fit, ordered by name key and id.
func (s *Tree) folderRows(ctx context.Context, f *engine.Filter) ([]*onlyFolder, error) {
	text := "SELECT " + wholeFolder() + "\nFROM folders f JOIN projects p ON p.id = f.project_id" + joinFolder +
		f.Clause() + "\nORDER BY f.name_key, f.id"
	return engine.Filtered[*onlyFolder](ctx, s.db, text, f)
}
