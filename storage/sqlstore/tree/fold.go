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
		all := map[int64]news{}
		for _, c := range changes {
			above, err := idsOf(c.Path)
			if err != nil {
				return err
			}
			for _, id := range above {
				n := all[id]
				n.at = max(n.at, c.At)
				if id == c.FolderID {
					n.objects += c.Objects
				}
				all[id] = n
			}
		}
		return tx.fold(ctx, all)
	})
	return total, err
}

// fold adds news to folders.
func (t tx) fold(ctx context.Context, all map[int64]news) error {
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
