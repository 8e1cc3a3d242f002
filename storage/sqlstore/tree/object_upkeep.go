package tree

import (
	"context"
	"encoding/json"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

const (
	markOrphans = `
UPDATE objects SET orphan_since = :now WHERE id IN (
	SELECT id FROM objects WHERE item_id IS NULL AND orphan_since IS NULL AND created_at <= :before LIMIT :limit)
AND item_id IS NULL`

	// The row decides: a version that takes the object at this moment changes
	// it. One that copies a version that goes at this moment is seen as well.
	dropOrphan = `
DELETE FROM objects WHERE id = :id AND item_id IS NULL AND orphan_since <= :before
	AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.object_id = :id)`

	giveBack = `
UPDATE project_limits SET used = used - :size WHERE project_id = :project_id`

	selectExtent = `
SELECT count(*) AS objects, cast(coalesce(sum(size), 0) AS BIGINT) AS bytes FROM (
	SELECT size FROM objects WHERE state = 'stored'
	UNION ALL SELECT size FROM twin_documents) kept`

	selectBlob = `
SELECT blob FROM objects WHERE blob = :blob AND blob <> ''
UNION ALL SELECT id FROM uploads WHERE id = :blob
UNION ALL SELECT blob FROM twin_documents WHERE blob = :blob
UNION ALL SELECT blob FROM twin_blobs WHERE blob = :blob`
)

var (
	selectOrphans = selectObjects + `
WHERE o.item_id IS NULL AND o.orphan_since <= :before ORDER BY o.orphan_since LIMIT :limit`

	selectStored = selectObjects + `
WHERE o.state = 'stored' AND ` + afterObject

	// Behind the last object of a page.
	afterObject = `(o.bucket, o.object_key) > (:bucket, :object_key)
ORDER BY o.bucket, o.object_key LIMIT :limit`
)

// MarkOrphans implements storage.ObjectUpkeepStore.
func (s *Tree) MarkOrphans(ctx context.Context, now time.Time, limit int) (int, error) {
	return s.db.Sweep(ctx, markOrphans,
		engine.Args{"now": now, "before": now.Add(-storage.UploadLifetime), "limit": limit})
}

// DropOrphans implements storage.ObjectUpkeepStore. Each object is a
// transaction of its own.
func (s *Tree) DropOrphans(ctx context.Context, act storage.Act, limit int) ([]storage.Object, error) {
	before := act.At.Add(-storage.OrphanGrace)
	var rows []objectRow
	if err := s.db.List(ctx, &rows, selectOrphans, engine.Args{"before": before, "limit": limit}); err != nil {
		return nil, err
	}
	var dropped []storage.Object
	for _, row := range rows {
		gone, err := s.dropOrphan(ctx, act, row, before)
		if err != nil {
			return dropped, err
		}
		if gone {
			dropped = append(dropped, row.Object)
		}
	}
	return dropped, nil
}

func (s *Tree) dropOrphan(ctx context.Context, act storage.Act, row objectRow, before time.Time) (bool, error) {
	var gone bool
	err := s.inProject(ctx, row.ProjectID, hubs.Together, func(tx tx, _ hubs.ProjectRow) error {
		n, err := tx.Exec(ctx, dropOrphan, engine.Args{"id": row.RowKey, "before": before})
		gone = n > 0
		if err != nil || !gone {
			return err
		}
		if row.State == storage.ObjectStored {
			if _, err := tx.Exec(ctx, giveBack, engine.Args{"project_id": row.ProjectKey, "size": row.Size}); err != nil {
				return err
			}
		}
		return tx.Tell(ctx, storage.Change{Act: act}, storage.EventObjectDropped, row.place(), nil)
	})
	return gone, err
}

// ListStored implements storage.ObjectUpkeepStore.
func (s *Tree) ListStored(ctx context.Context, page storage.PageRequest) ([]storage.Object, string, error) {
	return s.listObjects(ctx, selectStored, page)
}

// listObjects returns a page. The cursor is bucket and key of the last object.
func (s *Tree) listObjects(ctx context.Context, query string,
	page storage.PageRequest) ([]storage.Object, string, error) {
	var last [2]string
	if page.After != "" && json.Unmarshal([]byte(page.After), &last) != nil {
		return nil, "", engine.BadCursor()
	}
	rows, next, err := engine.Page(ctx, s.db, page, query, engine.Args{"bucket": last[0], "object_key": last[1]},
		func(r objectRow) string {
			cursor, _ := json.Marshal([2]string{r.Bucket, r.Key}) // strings can always be encoded
			return string(cursor)
		})
	return engine.Records(rows, objectRow.record), next, err
}

// StoredExtent implements storage.ObjectUpkeepStore.
func (s *Tree) StoredExtent(ctx context.Context) (objects int, bytes int64, err error) {
	var row struct {
		Objects int
		Bytes   int64
	}
	err = s.db.Get(ctx, &row, selectExtent, engine.Args{})
	return row.Objects, row.Bytes, err
}

// KnowsBlob implements storage.ObjectUpkeepStore.
func (s *Tree) KnowsBlob(ctx context.Context, blob string) (bool, error) {
	var found []string
	err := s.db.List(ctx, &found, selectBlob, engine.Args{"blob": blob})
	return len(found) > 0, err
}
