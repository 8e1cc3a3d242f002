package fresh

import (
	"sync"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

// maxMoments bounds what is kept: some megabytes.
const maxMoments = 10_000

// Moments keeps what a database has answered for half a second, so that who is busy is
// asked about a few times a second and not at every request. What somebody changes where
// the database grows older by it makes all of it void at once; what nobody tells of acts
// within a second. It is safe for concurrent use.
type Moments[K comparable, V any] struct {
	ambient *ambient.Source
	age     func() uint64 // of the database: another one than before may say something else

	mu    sync.RWMutex
	of    uint64 // the age at which all that is known was asked
	known map[K]moment[V]
}

type moment[V any] struct {
	value V             // never changed
	until time.Duration // by a clock that nobody sets
}

// Asked is when something is asked: begin it before the question.
type Asked struct {
	age uint64
	at  time.Duration
}

// NewMoments returns an empty memory of a database that is as old as age says.
func NewMoments[K comparable, V any](source *ambient.Source, age func() uint64) *Moments[K, V] {
	return &Moments[K, V]{ambient: source, age: age, known: map[K]moment[V]{}}
}

// Begin begins a question.
func (m *Moments[K, V]) Begin() Asked { return Asked{m.age(), m.ambient.Elapsed()} }

// Find returns what is known of the age, and still counts.
func (m *Moments[K, V]) Find(asked Asked, key K) (V, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	hit, ok := m.known[key]
	left := hit.until - asked.at
	return hit.value, ok && m.of == asked.age && left > 0 && left <= staleness
}

// Keep remembers an answer, unless it was overtaken meanwhile: the database that was
// asked was younger than what is known.
func (m *Moments[K, V]) Keep(asked Asked, key K, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if asked.age < m.of {
		return
	}
	if asked.age > m.of || len(m.known) >= maxMoments {
		clear(m.known)
		m.of = asked.age
	}
	m.known[key] = moment[V]{value, asked.at + staleness}
}
