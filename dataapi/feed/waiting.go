package feed

import "sync"

// waiting is who waits for changes.
type waiting struct {
	places chan struct{}
	ended  chan struct{}
	once   sync.Once
}

func newWaiting() *waiting {
	return &waiting{places: make(chan struct{}, maxWaiting), ended: make(chan struct{})}
}

// enter takes a place, if there is one, which leave gives back.
func (w *waiting) enter() (leave func(), ok bool) {
	select {
	case w.places <- struct{}{}:
		return func() { <-w.places }, true
	default:
		return nil, false
	}
}

// EndWaits answers everybody who waits for changes, now and from now on: the
// server is about to stop.
func (h *Handler) EndWaits() { h.waiting.once.Do(func() { close(h.waiting.ended) }) }
