package backup

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// leaser answers who asks for the duty as a test has it.
type leaser struct {
	Store
	answer func(asked int) (bool, error)
	asked  int
	until  time.Time
}

func (l *leaser) AcquireLease(_ context.Context, _, _ string, _, until time.Time) (bool, error) {
	l.asked++
	mine, err := l.answer(l.asked)
	if mine {
		l.until = until
	}
	return mine, err
}

// A database that can't be reached for minutes can't be had otherwise in no time.
//
// Rule: BACKUP-3
func TestABackupEndsWhenItIsNoLongerSureThatBytesStay(t *testing.T) {
	down := errors.New("the database is down")
	for name, test := range map[string]struct {
		answer func(asked int) (bool, error)
		lost   bool
	}{
		"it is renewed":                  {func(int) (bool, error) { return true, nil }, false},
		"somebody else has it":           {func(n int) (bool, error) { return n < 3, nil }, true},
		"the database is down":           {func(n int) (bool, error) { return n < 3, errorFrom(n >= 3, down) }, true},
		"the database is down for a bit": {func(n int) (bool, error) { return n%3 != 0, errorFrom(n%3 == 0, down) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &leaser{answer: test.answer}
				ctx, release, err := hold(t.Context(), l, ambient.System(), "backup x", func() { t.Error("it waits") })
				if err != nil {
					t.Fatal(err)
				}
				defer release()
				for range 600 {
					time.Sleep(time.Second)
					if ctx.Err() == nil && time.Now().After(l.until) {
						t.Fatal("the backup goes on, and nobody would wait for it any more")
					}
				}
				if lost := fault.HasReason(context.Cause(ctx), ReasonHeld); lost != test.lost {
					t.Errorf("ended with %v", context.Cause(ctx))
				}
			})
		})
	}
}

func errorFrom(is bool, err error) error {
	if is {
		return err
	}
	return nil
}

// Rule: BACKUP-3
func TestABackupWaitsForOneThatIsUnderWayAndNotForEver(t *testing.T) {
	for name, busy := range map[string]time.Duration{"a minute": time.Minute, "for ever": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, waits := time.Now(), 0
				l := &leaser{answer: func(int) (bool, error) { return time.Since(began) > busy, nil }}
				_, release, err := hold(t.Context(), l, ambient.System(), "backup x", func() { waits++ })
				if waits != 1 || (err == nil) != (busy < holdWithin) || err != nil && !fault.HasReason(err, ReasonHeld) {
					t.Errorf("told %d times, %v", waits, err)
				}
				if err == nil {
					release()
				}
				if l.asked > 2*int(holdWithin/holdLook) || l.until.Sub(began) > busy+storage.RemovalLease {
					t.Errorf("asked %d times", l.asked)
				}
			})
		})
	}
}
