package directory

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/tracing"
)

const (
	// WalkEvery is how often every directory is walked through.
	WalkEvery = 5 * time.Minute

	// askAgain is how long an administrator's walk waits for another server's.
	askAgain = time.Second
)

// WalkSoon lets the directory be walked through in a moment, by Run, and where it is
// walked through right now, once more behind that. NotFound.
func (d *Directories) WalkSoon(ctx context.Context, id string, unbraked bool) error {
	if _, err := d.find(ctx, id); err != nil {
		return err
	}
	d.queue.put(order{id, unbraked, true})
	return nil
}

// WalkAll lets all directories be walked through, by Run, whose time has come, on one
// replica at a time.
func (d *Directories) WalkAll(ctx context.Context) error {
	all, err := d.enabled(ctx)
	if err == nil {
		d.forget(all)
	}
	for _, upstream := range all {
		now := d.with.Ambient.Now()
		mine, failed := d.with.Store.AcquireLease(ctx, "directory "+upstream.ID, d.holder, now, now.Add(2*WalkEvery))
		if err = errors.Join(err, failed); mine && failed == nil {
			d.queue.put(order{id: upstream.ID})
		}
	}
	return err
}

// Run walks through directories when their time has come, and when an administrator
// wants it, until the context ends.
func (d *Directories) Run(ctx context.Context) {
	ticker := time.NewTicker(WalkEvery)
	defer ticker.Stop()
	var walks sync.WaitGroup
	defer walks.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := d.WalkAll(ctx); err != nil && ctx.Err() == nil {
				d.with.Log.ErrorContext(ctx, "going through the directories failed", "error", err)
			}
		case <-d.queue.woken:
			for o, waits := d.queue.next(); waits; o, waits = d.queue.next() {
				walks.Go(func() { d.obey(ctx, o) })
			}
		}
	}
}

// obey walks as ordered; what it came to is kept and logged. What an administrator wants
// and another server's walk stands in the way of is ordered again.
func (d *Directories) obey(ctx context.Context, o order) {
	err := tracing.Round(ctx, "directory", func(ctx context.Context) error {
		_, err := d.Walk(ctx, o.id, o.unbraked)
		return err
	})
	d.queue.done(o.id)
	if err != nil && ctx.Err() == nil && !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.NotFound) &&
		!fault.HasReason(err, ReasonWalking) {
		d.with.Log.ErrorContext(ctx, "going through the directories failed", "error", err)
	}
	if !o.wanted || !fault.HasReason(err, ReasonWalking) {
		return
	}
	timer := time.NewTimer(askAgain)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
		d.queue.put(o)
	}
}
