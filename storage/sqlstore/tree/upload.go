package tree

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type uploadRow struct {
	ID        string         `db:"id"`
	ObjectID  int64          `db:"object_id"`
	Reference string         `db:"reference"`
	CreatedAt engine.Instant `db:"created_at"`
	ExpiresAt engine.Instant `db:"expires_at"`
}

const (
	insertUpload = `
INSERT INTO uploads (id, object_id, reference, created_at, expires_at)
SELECT :id, o.id, :reference, :created_at, :expires_at FROM objects o WHERE o.id = :object_id AND o.state = 'reserved'`

	// Who begins an upload still wants the object.
	wantObject = `
UPDATE objects SET orphan_since = NULL WHERE id = :id AND orphan_since IS NOT NULL`

	selectUpload = `
SELECT u.id, u.object_id, u.reference, u.created_at, u.expires_at
FROM uploads u JOIN objects o ON o.id = u.object_id
WHERE u.id = :id AND o.bucket = :bucket AND o.object_key = :object_key AND u.expires_at > :now`

	sweepUploads = `
DELETE FROM uploads WHERE id IN (SELECT id FROM uploads WHERE expires_at <= :now LIMIT :limit)`
)

// BeginUpload implements storage.ObjectStore.
func (s *Tree) BeginUpload(ctx context.Context, change storage.Change, upload storage.Upload) error {
	return s.withObject(ctx, upload.Bucket, upload.Key, func(tx tx, object objectRow) error {
		n, err := tx.Exec(ctx, insertUpload, uploadRow{
			ID: upload.ID, ObjectID: object.ID, Reference: upload.Reference,
			CreatedAt: engine.At(change.At), ExpiresAt: engine.At(upload.ExpiresAt),
		})
		if err != nil {
			return err
		}
		if n == 0 {
			return objectStored()
		}
		_, err = tx.Exec(ctx, wantObject, engine.Args{"id": object.ID})
		return err
	})
}

// FindUpload implements storage.ObjectStore.
func (s *Tree) FindUpload(ctx context.Context, bucket, key, id string, now time.Time) (storage.Upload, error) {
	var row uploadRow
	err := s.db.Get(ctx, &row, selectUpload, engine.Args{"bucket": bucket, "object_key": key, "id": id, "now": engine.At(now)})
	return storage.Upload{
		ID: row.ID, Bucket: bucket, Key: key, Reference: row.Reference,
		CreatedAt: row.CreatedAt.Time, ExpiresAt: row.ExpiresAt.Time,
	}, engine.OrAbsent(err, "upload")
}

// SweepUploads implements storage.ObjectUpkeepStore.
func (s *Tree) SweepUploads(ctx context.Context, now time.Time, limit int) (int, error) {
	n, err := s.db.WriteOne(ctx, sweepUploads, engine.Args{"now": engine.At(now), "limit": limit})
	return int(n), err
}
