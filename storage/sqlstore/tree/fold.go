package tree

import (
	"context"
	"maps"
	"slices"

	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	selectNoted = `
SELECT EXISTS (SELECT 1 FROM folder_changes)`

	takeChanges = `
DELETE FROM folder_changes WHERE id IN (SELECT id FROM folder_changes ORDER BY id LIMIT :limit {skip locked})
RETURNING folder_id, path, at, objects`

	// In one order, so that two that fold don't wait for each other in a circle.
	lockFolders = `
SELECT id FROM folders WHERE id {among ids} ORDER BY id
FOR NO KEY UPDATE`

	foldChanges = `
WITH n (id, at, objects) AS (%s)
UPDATE folders SET rollup_at = CASE WHEN rollup_at < n.at THEN n.at ELSE rollup_at END, object_count = object_count + n.objects
FROM n WHERE folders.id = n.id`
)

// news is what a folder is to be told.
type news struct{ at, objects int64 }

// bulletin is the news of folders, by their keys.
type bulletin map[int64]news

// add tells a folder at a path, and all above it.
func (b bulletin) add(path string, folder int64, n news) error {
	above, err := idsOf(path)
	for _, id := range above {
		m := b[id]
		m.at = max(m.at, n.at)
		if id == folder {
			m.objects += n.objects
		}
		b[id] = m
	}
	return err
}

// FoldChanges implements storage.TreeUpkeepStore. On SQLite nothing is left to
// fold.
func (s *Tree) FoldChanges(ctx context.Context, limit int) (int, error) {
	var noted bool
	if err := s.db.Get(ctx, &noted, selectNoted, engine.Args{}); err != nil || !noted {
		return 0, engine.AsFault(err)
	}
	total := 0
	err := s.write(ctx, func(tx tx) error {
		var changes []struct {
			FolderID, At, Objects int64
			Path                  string
		}
		if err := tx.List(ctx, &changes, takeChanges, engine.Args{"limit": limit}); err != nil {
			return err
		}
		total = len(changes)
		all := bulletin{}
		for _, c := range changes {
			if err := all.add(c.Path, c.FolderID, news{c.At, c.Objects}); err != nil {
				return err
			}
		}
		return tx.fold(ctx, all)
	})
	return total, err
}

// fold adds news to folders.
func (t tx) fold(ctx context.Context, all bulletin) error {
	ids := slices.Sorted(maps.Keys(all))
	rows := make([][]any, len(ids))
	for i, id := range ids {
		rows[i] = []any{id, all[id].at, all[id].objects}
	}
	var locked []int64
	if err := t.List(ctx, &locked, lockFolders, engine.Args{"ids": t.Array(ids)}); err != nil {
		return err
	}
	return t.ExecRows(ctx, foldChanges, rows)
}
