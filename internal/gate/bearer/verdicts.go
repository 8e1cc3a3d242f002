package bearer

import (
	"context"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
)

const (
	// usedFor bounds how long a token that was good counts as good without a question:
	// what another server ends, and nobody tells of, is over within a second.
	usedFor = 500 * time.Millisecond

	maxVerdicts = 10_000 // some megabytes
)

// Remember returns tokens whose good verdicts are used for a moment, so that a busy token
// is asked about a few times a second and not at every request. age is that of what they
// are asked of: another one than before makes all verdicts void. Bad ones are not kept.
func Remember(tokens Tokens, source *ambient.Source, age func() uint64) Tokens {
	return &verdicts{Tokens: tokens, ambient: source, age: age, known: map[storage.TokenQuery]verdict{}}
}

type verdicts struct {
	Tokens
	ambient *ambient.Source
	age     func() uint64

	mu    sync.RWMutex
	of    uint64 // the age at which all that is known was asked
	known map[storage.TokenQuery]verdict
}

type verdict struct {
	state storage.TokenState // never changed
	until time.Time
}

// TokenState implements Tokens.
func (v *verdicts) TokenState(ctx context.Context, query storage.TokenQuery) (storage.TokenState, error) {
	age, now := v.age(), v.ambient.Now()
	if state, ok := v.find(query, age, now); ok {
		return state, nil
	}
	state, err := v.Tokens.TokenState(ctx, query)
	if err == nil && state.Active {
		v.keep(query, verdict{state, now.Add(usedFor)}, age)
	}
	return state, err
}

// find returns what is known of the age, and still counts by a clock that may have been
// put back.
func (v *verdicts) find(query storage.TokenQuery, age uint64, now time.Time) (storage.TokenState, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	hit, ok := v.known[query]
	left := hit.until.Sub(now)
	return hit.state, ok && v.of == age && left > 0 && left <= usedFor
}

// keep remembers what was asked when the age was that: an older one than what is known
// was overtaken meanwhile.
func (v *verdicts) keep(query storage.TokenQuery, what verdict, age uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if age < v.of {
		return
	}
	if age > v.of || len(v.known) >= maxVerdicts {
		clear(v.known)
		v.of = age
	}
	v.known[query] = what
}
