package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

func TestWhatGoesOnToItsEndIsCalledAsTheActThatItIs(t *testing.T) {
	var within string
	err := new(DB).goOn(t.Context(), func(ctx context.Context, _ func()) error {
		within = actOf(ctx)
		return nil
	})
	if err != nil || within != actOf(t.Context()) {
		t.Errorf("%v, and %q, not %q", err, within, actOf(t.Context()))
	}
}

// Else it would undo what whoever asked does instead, once they were told to come back.
//
// Rule: SERVER-24
func TestWhatHasNotBegunDoesNotGoOn(t *testing.T) {
	db, err := Open(t.Context(), Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	late := func(ctx context.Context, begins func()) error {
		err := db.Write(ctx, func(Tx) error { begins(); return nil })
		ended <- err
		return err
	}
	err = db.Write(t.Context(), func(Tx) error { // the only one that may write
		cancel()
		return db.goOn(ctx, late)
	})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("who asked is told %v", err)
	}
	if err := <-ended; !fault.Is(err, fault.Unavailable) {
		t.Errorf("it came to %v", err)
	}
}

// Each holds a connection: whoever comes back again and again must not hold them all.
//
// Rule: SERVER-24
func TestOneActAtATimeGoesOnThatNobodyWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, free := new(DB), make(chan struct{})
		ended := make(chan error, 3)
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			go func() { synctest.Wait(); cancel() }()
			_ = db.goOn(ctx, func(ctx context.Context, begins func()) error {
				begins()
				select {
				case <-free:
					ended <- nil
				case <-ctx.Done():
					ended <- ctx.Err()
				}
				return nil
			})
		}
		synctest.Wait()
		if len(ended) != 2 || (<-ended == nil) || (<-ended == nil) {
			t.Errorf("two of three are to be ended, not %d", len(ended))
		}
		close(free)
		if err := <-ended; err != nil {
			t.Errorf("the first was ended: %v", err)
		}
	})
}

// A server that stops cuts requests off as it closes the database, in whatever order that comes.
//
// Rule: SERVER-24
func TestNothingGoesOnOnceTheDatabaseIsClosed(t *testing.T) {
	db, err := Open(t.Context(), Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	begun, ended := make(chan struct{}), make(chan struct{})
	go func() { <-begun; db.Close(); cancel() }()
	err = db.goOn(ctx, func(ctx context.Context, begins func()) error {
		begins()
		close(begun)
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("who asked is told %v", err)
	}
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Error("it goes on")
	}
}

// Nobody else would catch it, and the server would be gone.
//
// Rule: SERVER-24
func TestAnActThatPanicsBesideItsRequestFailsAlone(t *testing.T) {
	err := new(DB).goOn(t.Context(), func(context.Context, func()) error { panic(errors.New("broken")) })
	if !fault.Is(err, fault.Internal) {
		t.Errorf("got %v", err)
	}
}
