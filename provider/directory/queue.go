package directory

import "sync"

// walksAtOnce is how many directories a server walks through at once: one that stalls
// holds up no other.
const walksAtOnce = 8

// order is a walk whose time has come, or that an administrator wants.
type order struct {
	id       string
	unbraked bool
	wanted   bool // by an administrator: it is not given up while another one is under way
}

// queue is which directories are to be walked through, in this order, and which are.
type queue struct {
	woken chan struct{} // has something where there may be a walk to begin

	mu    sync.Mutex
	waits []order
	walks map[string]bool
}

func newQueue() *queue { return &queue{woken: make(chan struct{}, 1), walks: map[string]bool{}} }

// put adds an order. A directory waits once, for all that is wanted of it, and where it
// is walked through anyway nobody has to want that again.
func (q *queue) put(o order) {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.wake()
	for i, waits := range q.waits {
		if waits.id == o.id {
			q.waits[i] = order{o.id, o.unbraked || waits.unbraked, o.wanted || waits.wanted}
			return
		}
	}
	if o.wanted || !q.walks[o.id] {
		q.waits = append(q.waits, o)
	}
}

// next returns the next walk to begin. It is under way until it is done.
func (q *queue) next() (order, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.walks) >= walksAtOnce {
		return order{}, false
	}
	for i, o := range q.waits {
		if !q.walks[o.id] {
			q.waits = append(q.waits[:i], q.waits[i+1:]...)
			q.walks[o.id] = true
			return o, true
		}
	}
	return order{}, false
}

func (q *queue) done(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.walks, id)
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.woken <- struct{}{}:
	default:
	}
}
