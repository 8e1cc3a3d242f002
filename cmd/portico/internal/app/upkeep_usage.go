package app

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/provider/usage"
)

// How long a write of what was counted may take: less than the time to the next one, and
// nobody waits long for the last.
const (
	usageLimit     = 20 * time.Second
	lastUsageLimit = 5 * time.Second
)

// records are what was used, for those who look.
func (p *parts) records() usage.Records { return usage.Records{Store: p.Store, Ambient: p.Ambient} }

// keepUsage writes what was counted, and returns when to come back.
func (u *upkeep) keepUsage(ctx context.Context) time.Duration {
	_ = tracing.Round(ctx, "usage", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, usageLimit)
		defer cancel()
		if err := u.usage.Flush(ctx); err != nil {
			u.failed(ctx, "writing what was used failed", err)
		}
		return nil
	})
	return u.usage.UntilNext()
}

// endUsage writes what was counted last, if that is possible.
func (p *parts) endUsage() {
	if p.usage == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastUsageLimit)
	defer cancel()
	if err := p.usage.Flush(ctx); err != nil {
		p.Log.Warn("what was used in the last minute is lost", "error", err)
	}
}
