package feed

import (
	"sync"

	"github.com/portico-id/portico/storage"
)

// maxWaiting is how many requests wait for changes at once, and maxOfOne how many of
// one caller; the others are answered as if they would not wait.
const (
	maxWaiting = 256
	maxOfOne   = maxWaiting / 4
)

// waiting is who waits for changes.
type waiting struct {
	mu  sync.Mutex
	all int
	of  map[storage.Caller]int // those of each caller; none of who has none

	ended chan struct{}
	once  sync.Once
}

func newWaiting() *waiting {
	return &waiting{of: map[storage.Caller]int{}, ended: make(chan struct{})}
}

// enter takes a place for the caller, if there is one, which leave gives back.
func (w *waiting) enter(who storage.Caller) (leave func(), ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == maxWaiting || w.of[who] == maxOfOne {
		return nil, false
	}
	w.all++
	w.of[who]++
	return func() { w.leave(who) }, true
}

func (w *waiting) leave(who storage.Caller) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all--
	if w.of[who]--; w.of[who] == 0 {
		delete(w.of, who)
	}
}
