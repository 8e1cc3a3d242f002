package fresh_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fresh"
)

// Rule: POLICY-3
func TestNobodyGoesByARecordThatIsBeingReadForTheFirstTime(t *testing.T) {
	reading, goOn := make(chan struct{}), make(chan struct{})
	v := fresh.New(ambient.System(), func(context.Context) (string, error) {
		close(reading)
		<-goOn
		return "everybody", nil
	})
	var all sync.WaitGroup
	look := func() {
		if got := v.Get(); got != "everybody" {
			t.Errorf("somebody went by %q", got)
		}
	}
	all.Go(look)
	<-reading
	for range 8 {
		all.Go(look)
	}
	time.AfterFunc(20*time.Millisecond, func() { close(goOn) })
	all.Wait()
}

// Rules: POLICY-3, RES-15
func TestWhatIsKnownStandsWhileItIsReadAgain(t *testing.T) {
	reading, goOn := make(chan struct{}, 1), make(chan struct{})
	known := false
	v := fresh.New(ambient.System(), func(context.Context) (string, error) {
		if !known {
			return "everybody", nil
		}
		reading <- struct{}{}
		<-goOn
		return "", errors.New("out of reach")
	})
	v.Get()
	known = true
	v.Forget()
	var all sync.WaitGroup
	all.Go(func() { v.Get() })
	<-reading
	if got := v.Get(); got != "everybody" {
		t.Errorf("meanwhile %q", got)
	}
	close(goOn)
	all.Wait()
	if got := v.Get(); got != "everybody" {
		t.Errorf("afterwards %q", got)
	}
}

// Rule: RES-15
func TestWhatCouldNotBeReadIsReadByWhoAsksNext(t *testing.T) {
	reachable := false
	v := fresh.New(ambient.System(), func(context.Context) (string, error) {
		if !reachable {
			return "", errors.New("out of reach")
		}
		return "everybody", nil
	})
	if got := v.Get(); got != "" {
		t.Errorf("out of reach: %q", got)
	}
	reachable = true
	if got := v.Get(); got != "everybody" {
		t.Errorf("within reach: %q", got)
	}
}

// What is read may be of before the change by which it was forgotten.
//
// Rules: POLICY-3, RES-15
func TestWhatIsForgottenWhileItIsReadIsReadOnceMore(t *testing.T) {
	reading, goOn := make(chan struct{}), make(chan struct{})
	times := 0
	v := fresh.New(ambient.System(), func(context.Context) (string, error) {
		if times++; times > 1 {
			return "as it was changed", nil
		}
		close(reading)
		<-goOn
		return "as it was", nil
	})
	var all sync.WaitGroup
	all.Go(func() { v.Get() })
	<-reading
	v.Forget()
	close(goOn)
	all.Wait()
	if got := v.Get(); got != "as it was changed" {
		t.Errorf("here, where it was changed, it is %q", got)
	}
}
