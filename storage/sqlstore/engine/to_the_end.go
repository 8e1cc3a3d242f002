package engine

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// ToTheEnd does an act that shuts somebody out, and that takes long where there is very
// much to end: it goes on when nobody waits for it any more, since whoever comes back would
// begin it anew and never see its end. What it hands out but the error is not to be looked
// at after one.
//
// One that has not begun by then ends: it could come after what was done instead of it, and
// undo that. So does one beside another that goes on, since each holds a connection.
func (d *DB) ToTheEnd(ctx context.Context, act func(context.Context, Tx) error) error {
	return d.goOn(ctx, func(ctx context.Context, begins func()) error {
		return d.Write(ctx, func(t Tx) error {
			begins()
			return act(ctx, t)
		})
	})
}

// goOn is ToTheEnd of what says itself when it begins.
func (d *DB) goOn(ctx context.Context, act func(_ context.Context, begins func()) error) error {
	own, end := context.WithCancel(Unhurried(context.WithoutCancel(ctx)))
	own = context.WithValue(own, actKey{}, actOf(ctx))
	var begun atomic.Bool
	done, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		defer end()
		done <- caught(func() error { return act(own, func() { begun.Store(true) }) })
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	if begun.Load() && d.goesOn.TryLock() {
		go d.letGoOn(ended, end)
	} else {
		end()
	}
	return AsFault(ctx.Err())
}

// letGoOn lets an act go on until it or ourselves are at the end: after us the server of the
// database would go on with its statement, and hold its locks, for one who is gone.
func (d *DB) letGoOn(ended <-chan struct{}, end func()) {
	defer d.goesOn.Unlock()
	select {
	case <-ended:
	case <-d.closing:
		end()
		<-ended
	}
}

// endLast ends what goes on, and waits for that.
func (d *DB) endLast() {
	d.ending.Do(func() { close(d.closing) })
	d.goesOn.Lock()
	defer d.goesOn.Unlock()
}

// caught does an act beside its request: a panic of it would be caught by nobody else, and
// end the server.
func caught(act func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = AsFault(fmt.Errorf("panic: %v\n%s", reason, debug.Stack()))
		}
	}()
	return act()
}
