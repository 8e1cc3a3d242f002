package sqlstore_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
)

// BenchmarkMutate changes 100 values at once in a facility with 100 000: alone,
// and from eight hands, whose mutations wait for each other.
func BenchmarkMutate(b *testing.B) {
	eachChanging(b, func(c changing) {
		const elements, columns = 10_000, 10
		twin := c.NewTwin("Tower")
		value := func(element, column int, text string) storage.ElementChange {
			return storage.ElementChange{
				Op: storage.OpWrite, Key: fmt.Sprintf("element-%05d", element), Family: "z", Column: fmt.Sprintf("c%d", column),
				Value: `"` + text + `"`,
			}
		}
		mutate := func(changes []storage.ElementChange) error {
			_, err := c.Data.Mutate(c.Ctx(), at(1), storage.Mutation{FacilityID: twin.Facility.ID, Changes: changes})
			return err
		}
		var all []storage.ElementChange
		for i := range elements * columns {
			all = append(all, value(i/columns, i%columns, "first"))
		}
		for chunk := range slices.Chunk(all, 5000) {
			c.Must(mutate(chunk))
		}
		hundred := func(n int) []storage.ElementChange {
			changes := make([]storage.ElementChange, 100)
			for i := range changes {
				changes[i] = value((n*7919+i*101)%elements, i%columns, fmt.Sprint(n))
			}
			return changes
		}
		c.b.ResetTimer()
		var alone times
		for n := range c.b.N {
			if err := alone.add(func() error { return mutate(hundred(n)) }); err != nil {
				c.b.Fatal(err)
			}
		}
		alone.report(c.b, "alone-")
		together := make([]times, 8)
		var group sync.WaitGroup
		started := time.Now()
		for hand := range together {
			group.Go(func() {
				for n := range c.b.N / len(together) {
					if err := together[hand].add(func() error { return mutate(hundred(c.b.N + n*8 + hand)) }); err != nil {
						c.b.Error(err)
					}
				}
			})
		}
		group.Wait()
		c.b.ReportMetric(float64(c.b.N/8*8)/time.Since(started).Seconds(), "of-eight-mutations/s")
		slices.Concat(together...).report(c.b, "of-eight-")
	})
}
