package feed

import (
	"strconv"
	"testing"

	"github.com/portico-id/portico/storage"
)

// Rule: FEED-8
func TestOneWhoWaitsOftenLeavesPlacesToOthers(t *testing.T) {
	w := newWaiting()
	var leave []func()
	take := func(app, user string) bool {
		left, ok := w.enter(storage.Caller{ClientID: app, UserID: user})
		if ok {
			leave = append(leave, left)
		}
		return ok
	}
	for range maxOfOne {
		take("app", "greedy")
	}
	if take("app", "greedy") {
		t.Errorf("one has more than %d places", maxOfOne)
	}
	for i := range maxWaiting - maxOfOne {
		if !take("app", strconv.Itoa(i)) {
			t.Fatalf("with %d others there is no place for one more", i)
		}
	}
	if take("app", "late") {
		t.Errorf("more than %d wait", maxWaiting)
	}
	for _, left := range leave {
		left()
	}
	if !take("app", "greedy") || len(w.of) != 1 {
		t.Errorf("once all have left %v wait", w.of)
	}
}
