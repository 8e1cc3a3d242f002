package backup

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

const (
	holdAgain  = storage.RemovalLease / 4
	holdWithin = 10 * time.Minute // what a clean-up may take
	holdLook   = 500 * time.Millisecond
)

// hold keeps everybody from removing bytes, in the name of the holder, until it is
// released, or this process ends. The context that it returns ends when the hold is lost.
func hold(ctx context.Context, store Store, source *ambient.Source, holder string,
	waits func()) (context.Context, func(), error) {
	take := func(ctx context.Context, length time.Duration) (bool, error) {
		now := source.Now()
		return store.AcquireLease(ctx, storage.RemovalDuty, holder, now, now.Add(length))
	}
	err := await(ctx, waits, func() (bool, error) { return take(ctx, storage.RemovalLease) })
	if err != nil {
		return nil, nil, err
	}
	held, lose := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		keep(held, take, lose)
	}()
	return held, func() {
		lose(nil)
		<-ended
		_, _ = take(context.WithoutCancel(ctx), 0) // it ends by itself in a while
	}, nil
}

// await tries until it has what others have now, or they have had it for very long.
func await(ctx context.Context, waits func(), try func() (bool, error)) error {
	for waited := time.Duration(0); ; waited += holdLook {
		if mine, err := try(); mine || err != nil {
			return err
		}
		if waited >= holdWithin {
			return fault.Newf(fault.Conflict, ReasonHeld, "Another backup, or a clean-up of files, has been at work for %v: "+
				"try again when it is done.", holdWithin)
		}
		if waited == 0 {
			waits()
		}
		select {
		case <-time.After(holdLook):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// keep renews a hold, and tells when it is lost.
func keep(ctx context.Context, take func(context.Context, time.Duration) (bool, error), lose context.CancelCauseFunc) {
	left := storage.RemovalLease
	for ticks := time.NewTicker(holdAgain); ; {
		select {
		case <-ctx.Done():
			ticks.Stop()
			return
		case <-ticks.C:
		}
		mine, err := take(ctx, storage.RemovalLease)
		left -= holdAgain
		if mine {
			left = storage.RemovalLease
		}
		if err == nil && !mine || left <= holdAgain {
			lose(fault.New(fault.Unavailable, ReasonHeld,
				"The database could not be reached for so long that bytes may have been removed meanwhile. Start the backup again: it goes on with what it has.").Because(err))
		}
	}
}
