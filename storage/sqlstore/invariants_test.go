package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/portico-id/portico/storage"
)

// snapshot is the trees of a database at one moment, as its tables have them.
type snapshot struct {
	folders  map[int64]*folderAt
	items    map[int64]*itemAt
	changes  []changeAt
	versions []versionsAt
	events   map[string]int // by kind and subject
}

type folderAt struct {
	ID       int64  `db:"id"`
	UID      string `db:"uid"`
	ParentID int64  `db:"parent_id"` // 0: a root
	Key      string `db:"name_key"`
	Hidden   bool   `db:"hidden"`
	Modified int64  `db:"modified_at"`
	Rollup   int64  `db:"rollup_at"`
	Objects  int64  `db:"object_count"`
	Path     string `db:"path"`
	Visible  bool   `db:"visible"`
	Granted  int64  `db:"granted"` // the highest level given in it

	inIt   int64 // visible things counted
	newest int64 // change of itself or anything in it
}

type itemAt struct {
	ID       int64  `db:"id"`
	UID      string `db:"uid"`
	FolderID int64  `db:"folder_id"`
	Key      string `db:"name_key"`
	Hidden   bool   `db:"hidden"`
	Tip      int    `db:"tip"`
	Modified int64  `db:"modified_at"`
}

type changeAt struct {
	FolderID int64  `db:"folder_id"`
	Path     string `db:"path"`
	At       int64  `db:"at"`
	Objects  int64  `db:"objects"`
}

type versionsAt struct {
	ItemID int64 `db:"item_id"`
	Least  int   `db:"least"`
	Most   int   `db:"most"`
	Count  int   `db:"count"`
}

const (
	snapshotFolders = `
SELECT f.id, f.uid, coalesce(f.parent_id, 0) AS parent_id, f.name_key, f.hidden, f.modified_at, f.rollup_at, f.object_count,
	fp.path, fp.visible, coalesce((SELECT max(level) FROM folder_grants g WHERE g.folder_id = f.id), 0) AS granted
FROM folders f LEFT JOIN folder_paths fp ON fp.folder_id = f.id`

	snapshotItems = `SELECT id, uid, folder_id, name_key, hidden, tip, modified_at FROM items`

	snapshotVersions = `
SELECT item_id, min(number) AS least, max(number) AS most, count(*) AS count FROM versions GROUP BY item_id`

	snapshotEvents = `
SELECT kind || ' ' || subject AS what, count(*) AS times FROM events
WHERE kind IN ('folder.created', 'item.created', 'version.added') GROUP BY kind, subject`
)

// takeSnapshot reads everything in one transaction.
func takeSnapshot(ctx context.Context, db *sqlx.DB) (*snapshot, error) {
	opts := &sql.TxOptions{}
	if db.DriverName() == "postgres" {
		opts = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	tx, err := db.BeginTxx(ctx, opts)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	var folders []*folderAt
	var items []*itemAt
	var events []struct {
		What  string
		Times int
	}
	s := &snapshot{folders: map[int64]*folderAt{}, items: map[int64]*itemAt{}, events: map[string]int{}}
	for query, rows := range map[string]any{
		snapshotFolders: &folders, snapshotItems: &items, snapshotVersions: &s.versions, snapshotEvents: &events,
		`SELECT folder_id, path, at, objects FROM folder_changes`: &s.changes,
	} {
		if err := tx.SelectContext(ctx, rows, query); err != nil {
			return nil, err
		}
	}
	for _, f := range folders {
		s.folders[f.ID] = f
	}
	for _, i := range items {
		s.items[i.ID] = i
	}
	for _, e := range events {
		s.events[e.What] = e.Times
	}
	return s, nil
}

// check returns everything in which the trees are none, or their derived
// figures are not what they are derived from.
func (s *snapshot) check() error {
	return errors.Join(s.checkPaths(), s.checkNames(), s.checkItems(), s.checkFigures())
}

// checkPaths follows every folder up to its root.
func (s *snapshot) checkPaths() error {
	var errs []error
	for _, f := range s.folders {
		path, visible, depth := "", true, -1
		for up := f; up != nil && depth <= storage.MaxDepth; up = s.folders[up.ParentID] {
			path, visible = strconv.FormatInt(up.ID, 36)+"/"+path, visible && !up.Hidden
			depth++
		}
		if f.Path != path || f.Visible != visible || depth > storage.MaxDepth {
			errs = append(errs, fmt.Errorf("folder %d is at %s (visible: %t), which must be %s (%t)", f.ID, f.Path,
				f.Visible, path, visible))
		}
		if f.ParentID != 0 && s.folders[f.ParentID] == nil {
			errs = append(errs, fmt.Errorf("folder %d has no parent", f.ID))
		}
	}
	return errors.Join(errs...)
}

// checkNames finds names that two visible things of a folder have.
func (s *snapshot) checkNames() error {
	var errs []error
	taken := map[string]bool{}
	take := func(kind string, in int64, key string, hidden bool) {
		name := fmt.Sprint(kind, in, "/", key)
		if taken[name] && !hidden {
			errs = append(errs, fmt.Errorf("two are called %s", name))
		}
		taken[name] = taken[name] || !hidden
	}
	for _, f := range s.folders {
		take("folder ", f.ParentID, f.Key, f.Hidden || f.ParentID == 0)
	}
	for _, i := range s.items {
		take("item ", i.FolderID, i.Key, i.Hidden)
	}
	return errors.Join(errs...)
}

// checkItems counts versions and what was told of them.
func (s *snapshot) checkItems() error {
	var errs []error
	if len(s.versions) != len(s.items) {
		errs = append(errs, fmt.Errorf("%d items have versions, of %d", len(s.versions), len(s.items)))
	}
	for _, v := range s.versions {
		i := s.items[v.ItemID]
		if i == nil || v.Least != 1 || v.Most != i.Tip || v.Count != i.Tip {
			errs = append(errs, fmt.Errorf("item %+v has %d versions from %d to %d", i, v.Count, v.Least, v.Most))
			continue
		}
		if s.events["item.created "+i.UID] != 1 || s.events["version.added "+i.UID] != i.Tip-1 {
			errs = append(errs, fmt.Errorf("item %+v has %d events of versions", i, s.events["version.added "+i.UID]))
		}
	}
	return errors.Join(errs...)
}

// checkFigures counts what lies in each folder, and looks for changes that the
// folders above don't know of.
func (s *snapshot) checkFigures() error {
	var errs []error
	if err := s.addNoted(); err != nil {
		return err
	}
	for _, f := range s.folders {
		s.tellParent(f.ParentID, f.Hidden, f.Rollup)
		f.newest = max(f.newest, f.Modified)
	}
	for _, i := range s.items {
		s.tellParent(i.FolderID, i.Hidden, i.Modified)
	}
	for _, f := range s.folders {
		if f.Objects != f.inIt {
			errs = append(errs, fmt.Errorf("folder %d counts %d things, and has %d", f.ID, f.Objects, f.inIt))
		}
		if f.Rollup < f.newest {
			errs = append(errs, fmt.Errorf("folder %d has rolled up to %d, but a change at %d", f.ID, f.Rollup, f.newest))
		}
	}
	return errors.Join(errs...)
}

func (s *snapshot) tellParent(id int64, hidden bool, at int64) {
	parent := s.folders[id]
	if parent == nil {
		return
	}
	if !hidden {
		parent.inIt++
	}
	parent.newest = max(parent.newest, at)
}

// addNoted adds what is noted and not folded in yet, as readers do.
func (s *snapshot) addNoted() error {
	for _, c := range s.changes {
		folder := s.folders[c.FolderID]
		if folder == nil || folder.Path != c.Path {
			return fmt.Errorf("a change of folder %+v is noted at %s", folder, c.Path)
		}
		folder.Objects += c.Objects
		for part := range strings.SplitSeq(strings.TrimSuffix(c.Path, "/"), "/") {
			id, err := strconv.ParseInt(part, 36, 64)
			if err != nil {
				return err
			}
			s.folders[id].Rollup = max(s.folders[id].Rollup, c.At)
		}
	}
	return nil
}

// level is the highest level given in the folder or above it.
func (s *snapshot) level(f *folderAt) storage.Level {
	level := storage.LevelNone
	for ; f != nil; f = s.folders[f.ParentID] {
		level = max(level, storage.Level(f.Granted))
	}
	return level
}
