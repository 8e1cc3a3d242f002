package app

import (
	"context"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/provider/people"
)

const (
	retireEvery = 10 * time.Minute
	auditDuty   = "audit"
)

// retirement takes what is old out of the audit trail.
type retirement struct {
	people *people.People
	folder string
	after  time.Duration // 0: never
}

func newRetirement(p *people.People, c config.Config) retirement {
	return retirement{p, wiring.AuditDir(c), c.AuditRetention}
}

// retire works on one replica at a time.
func (u *upkeep) retire(ctx context.Context) {
	for u.retired.after > 0 && ctx.Err() == nil {
		now := u.ambient.Now()
		mine, err := u.store.AcquireLease(ctx, auditDuty, u.holder, now, now.Add(2*retireEvery))
		if err != nil || !mine {
			return // whoever sweeps says why
		}
		n, err := u.retired.people.RetireAudit(ctx, now.Add(-u.retired.after), u.retired.folder, sweepBatch)
		if err != nil {
			u.failed(ctx, "taking old events out of the audit trail failed", err)
		}
		if err != nil || n < sweepBatch {
			return
		}
	}
}
