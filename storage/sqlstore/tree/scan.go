package tree

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

const (
	// Whoever changes the time has the object.
	claimScan = `
UPDATE objects SET scan_due = :later WHERE id = :id AND scan_due <= :now AND scan = 'pending'`

	putOffScan = `
UPDATE objects SET scan_due = :due WHERE bucket = :bucket AND object_key = :object_key AND scan = 'pending'`

	endScan = `
UPDATE objects SET scan = :scan, finding = :finding, scan_due = NULL
WHERE bucket = :bucket AND object_key = :object_key AND scan = 'pending'`
)

var (
	selectScans = selectObjects + `
WHERE o.scan_due <= :now AND o.scan = 'pending' ORDER BY o.scan_due LIMIT :limit`

	selectInfected = selectObjects + `
WHERE o.scan = 'infected' AND ` + afterObject
)

// ClaimScans implements storage.ScanStore.
func (s *Tree) ClaimScans(ctx context.Context, now, later time.Time, limit int) ([]storage.Object, error) {
	var rows []objectRow
	if err := s.db.List(ctx, &rows, selectScans, engine.Args{"now": now, "limit": limit}); err != nil {
		return nil, err
	}
	var mine []storage.Object
	for _, row := range rows {
		n, err := s.db.WriteOne(ctx, claimScan, engine.Args{"id": row.RowKey, "now": now, "later": later})
		if err != nil {
			return mine, err
		}
		if n > 0 {
			mine = append(mine, row.Object)
		}
	}
	return mine, nil
}

// PutOffScan implements storage.ScanStore.
func (s *Tree) PutOffScan(ctx context.Context, bucket, key string, due time.Time) error {
	_, err := s.db.WriteOne(ctx, putOffScan, engine.Args{"bucket": bucket, "object_key": key, "due": due})
	return err
}

// EndScan implements storage.ScanStore.
func (s *Tree) EndScan(ctx context.Context, act storage.Act, bucket, key, finding string) error {
	object, err := s.object(ctx, bucket, key)
	if err != nil {
		return err
	}
	state := storage.ScanClean
	if finding != "" {
		state = storage.ScanInfected
	}
	return s.inProject(ctx, object.ProjectID, hubs.Together, func(tx tx, _ hubs.ProjectRow) error {
		n, err := tx.Exec(ctx, endScan,
			engine.Args{"bucket": bucket, "object_key": key, "scan": string(state), "finding": finding})
		if err != nil || n == 0 || finding == "" {
			return err
		}
		if err := tx.Audit(ctx, act, storage.EventObjectInfected, object.place().Subject,
			engine.Detail{"finding": finding, "project": object.ProjectID}); err != nil {
			return err
		}
		return tx.Tell(ctx, storage.Change{Act: act}, storage.EventObjectInfected, object.place(),
			engine.Detail{"finding": finding})
	})
}

// ListInfected implements storage.ScanStore.
func (s *Tree) ListInfected(ctx context.Context, page storage.PageRequest) ([]storage.Object, string, error) {
	return s.listObjects(ctx, selectInfected, page)
}
