package tree

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

const (
	selectScans = objectColumns + `
WHERE o.scan_due <= :now AND o.scan = 'pending' ORDER BY o.scan_due LIMIT :limit`

	// Whoever changes the time has the object.
	claimScan = `
UPDATE objects SET scan_due = :later WHERE id = :id AND scan_due <= :now AND scan = 'pending'`

	endScan = `
UPDATE objects SET scan = :scan, finding = :finding, scan_due = NULL
WHERE bucket = :bucket AND object_key = :object_key AND scan = 'pending'`

	selectInfected = objectColumns + `
WHERE o.scan = 'infected' AND (o.bucket > :bucket OR (o.bucket = :bucket AND o.object_key > :object_key))
ORDER BY o.bucket, o.object_key LIMIT :limit`
)

// ClaimScans implements storage.ScanStore.
func (s *Tree) ClaimScans(ctx context.Context, now, later time.Time, limit int) ([]storage.Object, error) {
	var rows []objectRow
	if err := s.db.List(ctx, &rows, selectScans, engine.Args{"now": engine.At(now), "limit": limit}); err != nil {
		return nil, err
	}
	var mine []storage.Object
	for _, row := range rows {
		n, err := s.db.WriteOne(ctx, claimScan, engine.Args{"id": row.ID, "now": engine.At(now), "later": engine.At(later)})
		if err != nil {
			return mine, err
		}
		if n > 0 {
			mine = append(mine, row.record())
		}
	}
	return mine, nil
}

// EndScan implements storage.ScanStore.
func (s *Tree) EndScan(ctx context.Context, act storage.Act, bucket, key, finding string) error {
	var object objectRow
	if err := s.db.Get(ctx, &object, selectObject, engine.Args{"bucket": bucket, "object_key": key}); err != nil {
		return engine.OrAbsent(err, "object")
	}
	state := storage.ScanClean
	if finding != "" {
		state = storage.ScanInfected
	}
	return s.inProject(ctx, object.ProjectUID, hubs.Together, func(tx tx, _ hubs.ProjectRow) error {
		n, err := tx.Exec(ctx, endScan, engine.Args{"bucket": bucket, "object_key": key, "scan": string(state), "finding": finding})
		if err != nil || n == 0 || finding == "" {
			return err
		}
		if err := tx.Audit(ctx, act, storage.EventObjectInfected, object.place().Subject, engine.Detail{"finding": finding, "project": object.ProjectUID}); err != nil {
			return err
		}
		return tx.Tell(ctx, storage.Change{Act: act}, storage.EventObjectInfected, object.place(), engine.Detail{"finding": finding})
	})
}

// ListInfected implements storage.ScanStore.
func (s *Tree) ListInfected(ctx context.Context, page storage.PageRequest) ([]storage.Object, string, error) {
	return s.listObjects(ctx, selectInfected, page)
}
