package app

import (
	"context"
	"errors"
	"time"
)

const (
	tidyEvery = 10 * time.Minute

	// quarantineEvery is seldom: it goes through everything that is stored.
	quarantineEvery = 24 * time.Hour
)

// tidy removes what nothing needs of the bytes, on one replica at a time, and
// now and then sets aside what nobody knows.
func (u *upkeep) tidy(ctx context.Context) {
	now := u.ambient.Now()
	mine, err := u.store.AcquireLease(ctx, sweepDuty, u.holder, now, now.Add(2*sweepEvery))
	if err != nil || !mine {
		return // whoever sweeps says why
	}
	err = u.keeper.Tidy(ctx)
	if now.Sub(u.lookedAt).Abs() >= quarantineEvery {
		strays, failed := u.keeper.Quarantine(ctx)
		if err = errors.Join(err, failed); err == nil {
			u.lookedAt = now
		}
		if strays > 0 {
			u.log.WarnContext(ctx, "bytes that no object has were set aside", "how_many", strays)
		}
	}
	if err != nil {
		u.failed(ctx, "the clean-up of bytes failed", err)
	}
}
