package tree

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	insertUpload = `
INSERT INTO uploads (id, object_id, reference, created_at, expires_at)
SELECT :id, o.id, :reference, :created_at, :expires_at FROM objects o
WHERE o.bucket = :bucket AND o.object_key = :key AND o.state = 'reserved'`

	// Who begins an upload still wants the object.
	wantObject = `
UPDATE objects SET orphan_since = NULL WHERE id = :id AND orphan_since IS NOT NULL`

	selectUpload = `
SELECT u.id, o.bucket, o.object_key AS key, u.reference, u.created_at, u.expires_at
FROM uploads u JOIN objects o ON o.id = u.object_id
WHERE u.id = :id AND o.bucket = :bucket AND o.object_key = :object_key AND u.expires_at > :now`
)

var sweepUploads = engine.Sweeping("uploads", "id", "expires_at <= :now")

// BeginUpload implements storage.ObjectStore.
func (s *Tree) BeginUpload(ctx context.Context, change storage.Change, upload storage.Upload) error {
	return s.withObject(ctx, upload.Bucket, upload.Key, func(tx tx, object objectRow) error {
		upload.CreatedAt = change.At
		if err := tx.ExecOne(ctx, objectStored(), insertUpload, upload); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, wantObject, engine.Args{"id": object.RowKey})
		return err
	})
}

// FindUpload implements storage.ObjectStore.
func (s *Tree) FindUpload(ctx context.Context, bucket, key, id string, now time.Time) (storage.Upload, error) {
	return engine.Find[storage.Upload](ctx, s.db, "upload", selectUpload,
		engine.Args{"bucket": bucket, "object_key": key, "id": id, "now": now})
}

// SweepUploads implements storage.ObjectUpkeepStore.
func (s *Tree) SweepUploads(ctx context.Context, now time.Time, limit int) (int, error) {
	return s.db.Sweep(ctx, sweepUploads, engine.Args{"now": now, "limit": limit})
}
