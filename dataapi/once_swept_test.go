package dataapi

import (
	"context"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// forgetful is a store whose record of a request was swept away between the
// moment that refused its repetition and the one that looks for it.
type forgetful struct{ storage.Store }

func (forgetful) FindDone(context.Context, string, time.Time) (storage.Done, error) {
	return storage.Done{}, fault.New(fault.NotFound, "", "It is gone.")
}

func TestARequestWhoseDayEndsWhileItIsRepeatedIsCarriedOutAnew(t *testing.T) {
	tries := 0
	act := func() (string, error) {
		if tries++; tries == 1 {
			return "", fault.New(fault.Conflict, storage.ReasonDone, "It was done.")
		}
		return "made", nil
	}
	again := func(storage.Done) (string, error) { return "shown", nil }
	h := &Handler{store: forgetful{}}
	got, err := once(t.Context(), h, storage.Change{Once: storage.Once{Key: "k"}}, act, again)
	if got != "made" || err != nil || tries != 2 {
		t.Errorf("%q, %v after %d tries", got, err, tries)
	}
}
