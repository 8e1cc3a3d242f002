package feed

import "sync"

// maxWaiting is how many requests wait for changes at once; the others are
// answered as if they would not wait.
const maxWaiting = 256

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
