package metrics

import (
	"maps"
	"sync"
	"sync/atomic"
)

// labelled finds what is counted under some labels, without an allocation: each set of
// labels is resolved once. There are at most so many; what comes after them is counted
// under the labels of the rest.
type labelled[K comparable, V any] struct {
	resolve func(K) V
	most    int
	rest    K

	known atomic.Pointer[map[K]V] // never changed once it is there
	add   sync.Mutex
}

func newLabelled[K comparable, V any](most int, rest K, resolve func(K) V) *labelled[K, V] {
	l := &labelled[K, V]{resolve: resolve, most: most, rest: rest}
	l.known.Store(&map[K]V{})
	return l
}

func (l *labelled[K, V]) of(key K) V {
	if found, ok := (*l.known.Load())[key]; ok {
		return found
	}
	return l.learn(key)
}

func (l *labelled[K, V]) learn(key K) V {
	l.add.Lock()
	defer l.add.Unlock()
	known := *l.known.Load()
	if len(known) >= l.most {
		key = l.rest
	}
	if found, ok := known[key]; ok {
		return found
	}
	known = maps.Clone(known)
	known[key] = l.resolve(key)
	l.known.Store(&known)
	return known[key]
}
