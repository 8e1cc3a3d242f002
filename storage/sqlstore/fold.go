package sqlstore

import (
	"context"
	"maps"
	"slices"

	"github.com/lib/pq"
)

// Folding is for PostgreSQL alone: on SQLite nothing is left to fold.
const (
	takeChanges = `
DELETE FROM folder_changes WHERE id IN (SELECT id FROM folder_changes ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED)
RETURNING folder_id, path, at, objects`

	// In one order, so that two that fold don't wait for each other in a circle.
	lockFolders = `
SELECT id FROM folders WHERE id IN (SELECT unnest(cast(:ids AS bigint[]))) ORDER BY id
FOR NO KEY UPDATE`

	foldChanges = `
UPDATE folders SET rollup_at = greatest(folders.rollup_at, n.at), object_count = folders.object_count + n.objects
FROM unnest(cast(:ids AS bigint[]), cast(:times AS bigint[]), cast(:objects AS bigint[])) AS n (id, at, objects)
WHERE folders.id = n.id`
)

// news is what a folder is to be told.
type news struct{ at, objects int64 }

// FoldChanges implements storage.TreeUpkeepStore.
func (s *Store) FoldChanges(ctx context.Context, limit int) (int, error) {
	if !s.writer.dialect.foldsLater {
		return 0, nil
	}
	total := 0
	err := s.write(ctx, func(tx tx) error {
		var changes []struct {
			FolderID int64  `db:"folder_id"`
			Path     string `db:"path"`
			At       int64  `db:"at"`
			Objects  int64  `db:"objects"`
		}
		if err := tx.list(ctx, &changes, takeChanges, args{"limit": limit}); err != nil {
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

func (t tx) fold(ctx context.Context, all map[int64]news) error {
	if len(all) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(all))
	var times, objects []int64
	for _, id := range ids {
		times, objects = append(times, all[id].at), append(objects, all[id].objects)
	}
	var locked []int64
	if err := t.list(ctx, &locked, lockFolders, args{"ids": pq.Array(ids)}); err != nil {
		return err
	}
	_, err := t.exec(ctx, foldChanges, args{"ids": pq.Array(ids), "times": pq.Array(times), "objects": pq.Array(objects)})
	return err
}
