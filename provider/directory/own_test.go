package directory

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

// Rule: LDAP-18
func TestAWalkRestsThriceAsLongAsItWorks(t *testing.T) {
	for name, one := range map[string]struct {
		beside        int64
		worked, rests time.Duration
	}{
		"no work":       {1, 0, 0},
		"a page":        {1, 300 * time.Millisecond, 900 * time.Millisecond},
		"a long while":  {1, time.Minute, mostRest},
		"one of eight":  {8, 300 * time.Millisecond, 7200 * time.Millisecond},
		"eight, longer": {8, time.Minute, 8 * mostRest},
	} {
		synctest.Test(t, func(t *testing.T) {
			source, beside := ambient.System(), new(atomic.Int64)
			beside.Store(one.beside)
			w := &walk{directory: directory{with: Options{Ambient: source}}, beside: beside, rested: source.Elapsed()}
			for range 2 {
				time.Sleep(one.worked)
				began := source.Elapsed()
				if err := w.rest(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := source.Elapsed() - began; got != one.rests {
					t.Errorf("%s: it rested %v", name, got)
				}
			}
		})
	}
}

// Rule: LDAP-21
func TestAtMostEightWalksAreUnderWayAndEachDirectorysIsOne(t *testing.T) {
	q := newQueue()
	next := func() string {
		o, _ := q.next()
		return o.id
	}
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "a", "b"} {
		q.put(order{id: id})
	}
	for _, want := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "", ""} {
		if got := next(); got != want {
			t.Errorf("next is %q, want %q", got, want)
		}
	}
	q.put(order{id: "a"}) // its time has come while it is walked through
	q.done("b")
	if got := next() + next(); got != "i" {
		t.Errorf("one place is free, and next is %q", got)
	}
	for _, o := range []order{{"a", false, true}, {"a", true, true}, {"a", false, true}, {id: "a"}} {
		q.put(o)
	}
	q.done("c")
	if got := next(); got != "" {
		t.Errorf("%q is walked through twice at once", got)
	}
	q.done("a")
	if got, _ := q.next(); got != (order{"a", true, true}) {
		t.Errorf("what was wanted meanwhile is %+v", got)
	}
	q.done("a")
	if got := next(); got != "" {
		t.Errorf("%q is walked through once more", got)
	}
}
