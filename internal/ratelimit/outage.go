package ratelimit

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// While Redis does not answer, it is asked again every askAgain, by one call;
// all others are counted here at once. The log hears of it every tellAgain.
const (
	askAgain  = 5 * time.Second
	tellAgain = time.Minute
)

// outage counts in Redis, and in this process while Redis does not answer.
type outage struct {
	shared *shared
	local  *memory
	log    *slog.Logger

	mu     sync.Mutex
	down   bool
	nextAt time.Time // when to ask again; meaningful while down
	toldAt time.Time // when the log last heard of an outage
}

func (o *outage) take(ctx context.Context, c caller, limit int, now time.Time) verdict {
	if o.worthAsking(now) {
		said, err := o.shared.take(ctx, c, limit)
		o.learn(ctx, err, now)
		if err == nil {
			return said
		}
	}
	return o.local.take(ctx, c, limit, now)
}

func (o *outage) usage(ctx context.Context, rates Rates, now time.Time) []Usage {
	if o.worthAsking(now) {
		all, err := o.shared.usage(ctx, rates)
		o.learn(ctx, err, now)
		if err == nil {
			return all
		}
	}
	return o.local.usage(ctx, rates, now)
}

// worthAsking reports whether Redis is up as far as known, or whether this call
// is the one that finds out.
func (o *outage) worthAsking(now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.down {
		return true
	}
	if now.Before(o.nextAt) {
		return false
	}
	o.nextAt = now.Add(askAgain)
	return true
}

// learn notes how Redis answered.
func (o *outage) learn(ctx context.Context, err error, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil {
		if o.down {
			o.down = false
			o.log.InfoContext(ctx, "Redis answers again: rate limits are shared")
		}
		return
	}
	o.down, o.nextAt = true, now.Add(askAgain)
	if o.toldAt.IsZero() || now.Sub(o.toldAt) >= tellAgain {
		o.toldAt = now
		o.log.WarnContext(ctx, "Redis does not answer: this server counts rate limits by itself", "error", err)
	}
}
