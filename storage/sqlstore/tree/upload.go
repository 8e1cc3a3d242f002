package tree

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
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

	// An upload that has ended has no reference any more, and waits for its sweeping.
	endUpload = `
UPDATE uploads SET reference = '', held = 0 WHERE id = :id AND reference <> ''`

	selectHolder = `
SELECT o.project_id, l.quota FROM uploads u JOIN objects o ON o.id = u.object_id
JOIN project_limits l ON l.project_id = o.project_id WHERE u.id = :id AND l.quota > 0`

	// Of two that hold bytes for a project at once the second sees what the first holds.
	lockLimits = `
UPDATE project_limits SET used = used WHERE project_id = :project_id`

	// Twice what the project may store: who begins an upload anew that broke off has room for both.
	holdBytes = `
UPDATE uploads SET held = held + :size WHERE id = :id AND (
	SELECT coalesce(sum(u.held), 0) FROM uploads u JOIN objects o ON o.id = u.object_id
	WHERE u.held > 0 AND o.project_id = :project_id) + :size - :quota <= :quota`

	holdNoMore = `
UPDATE uploads SET held = held - :size WHERE id = :id AND held >= :size`

	selectUpload = `
SELECT u.id, o.bucket, o.object_key AS key, u.reference, u.created_at, u.expires_at
FROM uploads u JOIN objects o ON o.id = u.object_id
WHERE u.id = :id AND o.bucket = :bucket AND o.object_key = :object_key AND u.expires_at > :now`
)

// One that has ended stays longer: somebody may still be completing it, who must not
// note the bytes that went with it.
var sweepUploads = engine.Sweeping("uploads", "id",
	"expires_at <= :before AND (reference <> '' OR expires_at <= :ended)")

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

// HoldBytes implements storage.ObjectStore.
func (s *Tree) HoldBytes(ctx context.Context, id string, size int64) error {
	var holders []struct{ ProjectID, Quota int64 }
	err := s.db.List(ctx, &holders, selectHolder, engine.Args{"id": id})
	if err != nil || len(holders) == 0 {
		return err
	}
	if size < 0 {
		_, err := s.db.WriteOne(ctx, holdNoMore, engine.Args{"id": id, "size": -size})
		return err
	}
	of := holders[0]
	arg := engine.Args{"id": id, "size": size, "project_id": of.ProjectID, "quota": of.Quota}
	return s.write(ctx, func(tx tx) error {
		if _, err := tx.Exec(ctx, lockLimits, arg); err != nil {
			return err
		}
		return tx.ExecOne(ctx, fault.Newf(fault.Forbidden, storage.ReasonQuota,
			"The project may store %d bytes, and uploads that were not completed hold too many more.", of.Quota), holdBytes, arg)
	})
}

// EndUpload implements storage.ObjectStore.
func (s *Tree) EndUpload(ctx context.Context, id string) (bool, error) {
	n, err := s.db.WriteOne(ctx, endUpload, engine.Args{"id": id})
	return n == 1, err
}

// dropUploads removes the uploads of an object that gets its bytes from one of them,
// which must not have ended: whoever ended it takes its bytes away.
func (t tx) dropUploads(ctx context.Context, object int64, blob string) error {
	var dropped []struct{ ID, Reference string }
	if err := t.List(ctx, &dropped, deleteUploads, engine.Args{"id": object, "blob": blob}); err != nil {
		return err
	}
	for _, upload := range dropped {
		if upload.ID == blob && upload.Reference == "" {
			return fault.New(fault.Gone, storage.ReasonUploadEnded, "The upload has ended: begin another.")
		}
	}
	_, err := t.Exec(ctx, endOthers, engine.Args{"id": object})
	return err
}

// SweepUploads implements storage.ObjectUpkeepStore.
func (s *Tree) SweepUploads(ctx context.Context, now time.Time, limit int) (int, error) {
	return s.db.Sweep(ctx, sweepUploads,
		engine.Args{"before": now.Add(-storage.KeepSpent), "ended": now.Add(-storage.UploadLifetime), "limit": limit})
}
