package fresh_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fresh"
)

// Rule: TOKEN-36
func TestNobodyIsToldWhatHasEndedWhileManyAsk(t *testing.T) {
	var truth, age atomic.Uint64
	moments := fresh.NewMoments[string, uint64](ambient.New(func() time.Time { return time.Unix(1, 0) }, nil), age.Load)
	ask := func() uint64 {
		asked := moments.Begin()
		if value, ok := moments.Find(asked, "key"); ok {
			return value
		}
		value := truth.Load()
		moments.Keep(asked, "key", value)
		return value
	}
	var over atomic.Bool
	var crowd sync.WaitGroup
	for range 8 {
		crowd.Go(func() {
			for !over.Load() {
				ask()
			}
		})
	}
	for n := range uint64(4000) {
		truth.Store(n)
		age.Add(1)
		if got := ask(); got != n {
			t.Errorf("somebody is told %d of before, and not %d", got, n)
			break
		}
	}
	over.Store(true)
	crowd.Wait()
}
