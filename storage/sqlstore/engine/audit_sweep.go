package engine

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
)

const (
	selectOldAudit = `
SELECT id, ` + auditColumns + `
FROM audit_events
WHERE at < :before
ORDER BY at, id
LIMIT :limit`

	deleteAudit = `
DELETE FROM audit_events WHERE id {among ids}`
)

// SweepAudit implements storage.AuditStore.
func (s Journal) SweepAudit(ctx context.Context, before time.Time, limit int,
	keep func([]storage.AuditEvent) error) (int, error) {
	var rows []auditRow
	if err := s.db.List(ctx, &rows, selectOldAudit, Args{"before": before, "limit": limit}); err != nil || len(rows) == 0 {
		return 0, AsFault(err)
	}
	if err := keep(Records(rows, auditRow.record)); err != nil {
		return 0, err
	}
	ids := Records(rows, func(r auditRow) int64 { return r.ID })
	n, err := s.db.WriteOne(ctx, deleteAudit, Args{"ids": s.db.Array(ids)})
	return int(n), err
}
