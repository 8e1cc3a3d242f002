package directory

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

// Rule: LDAP-18
func TestAWalkRestsTwiceAsLongAsItWorks(t *testing.T) {
	for worked, rests := range map[time.Duration]time.Duration{
		0: 0, 300 * time.Millisecond: 600 * time.Millisecond, time.Minute: mostRest,
	} {
		synctest.Test(t, func(t *testing.T) {
			source := ambient.System()
			w := &walk{directory: directory{with: Options{Ambient: source}}, rested: source.Elapsed()}
			for range 2 {
				time.Sleep(worked)
				began := source.Elapsed()
				if err := w.rest(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := source.Elapsed() - began; got != rests {
					t.Errorf("after %v it rested %v", worked, got)
				}
			}
		})
	}
}
