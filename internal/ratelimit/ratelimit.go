// Package ratelimit counts calls and says when somebody makes too many (S1
// section 8, decision T12).
//
// A limit is the most calls that any sixty seconds may hold: who was quiet may
// call that often at once. The package knows classes and keys; it does not know
// requests: the endpoints decide what a call counts for, and their wire files
// how a refusal looks. It is not what slows the guessing of passwords down
// either: that goes by accounts and lives beside the sign-in page.
//
// Start at Limits. window.go is one caller's minute; memory.go counts in this
// process; redis.go with window.lua shares the count between servers, and counts
// here while Redis does not answer: a limit is never worth refusing service for.
package ratelimit

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
)

// Options are what Limits are made of.
type Options struct {
	Rates    Rates
	RedisURL string // redis://, rediss:// or unix:///path/to/socket; empty: every server counts for itself
	Ambient  *ambient.Source
	Log      *slog.Logger // where outages of Redis are told; needed with RedisURL only
}

// Limits are all limits of a server. They are safe for concurrent use; nil
// Limits allow everything.
type Limits struct {
	rates   Rates
	ambient *ambient.Source
	counter counter
	close   func() error
}

// caller names what is counted together.
type caller struct {
	class Class
	key   string
}

// verdict is what became of a call.
type verdict struct {
	taken bool          // it was counted; else there was no room
	left  int           // how many more there is room for
	reset time.Duration // until the oldest that count are given back; never 0
}

// counter counts calls, here or elsewhere.
type counter interface {
	// take counts a call at now if there is room for it.
	take(ctx context.Context, c caller, limit int, now time.Time) verdict

	// usage returns what is used of the limits, in any order.
	usage(ctx context.Context, rates Rates, now time.Time) []Usage
}

// New returns the limits. It connects to nothing: Redis is dialled when the
// first call is counted. Its error says what is wrong with the rates or the
// URL.
func New(o Options) (*Limits, error) {
	if err := o.Rates.check(); err != nil {
		return nil, err
	}
	local := newMemory()
	l := &Limits{rates: o.Rates, ambient: o.Ambient, counter: local, close: func() error { return nil }}
	if o.RedisURL == "" {
		return l, nil
	}
	shared, err := newShared(o, local)
	if err != nil {
		return nil, err
	}
	l.counter, l.close = shared, shared.link.Close
	return l, nil
}

// Standing is how a caller stands to a limit after a call.
type Standing struct {
	Class Class         // empty: no limit
	Limit int           // calls in any sixty seconds
	Left  int           // how many of them are left
	Reset time.Duration // when the oldest that count are given back, and more are left
}

// Allow counts a call and returns nil, or a TooMany fault that says when the
// next one has room. A class without a rate is not limited.
func (l *Limits) Allow(ctx context.Context, class Class, key string) (Standing, error) {
	if l == nil || l.rates[class] == 0 {
		return Standing{}, nil
	}
	limit := l.rates[class]
	said := l.counter.take(ctx, caller{class, key}, limit, l.ambient.Now())
	standing := Standing{class, limit, said.left, said.reset}
	if said.taken {
		return standing, nil
	}
	return standing, fault.Newf(fault.TooMany, "rate_limited",
		"There were too many calls: at most %d a minute are answered.", limit).After(said.reset)
}

// Usage is how much of a limit is used up at the moment.
type Usage struct {
	Class Class
	Key   string
	Used  int // calls of the last minute
	Limit int // how many there may be
}

// Usage returns the limits that are used most, relative to their limits, at
// most so many. Servers that share Redis see the same.
func (l *Limits) Usage(ctx context.Context, most int) []Usage {
	if l == nil {
		return nil
	}
	all := l.counter.usage(ctx, l.rates, l.ambient.Now())
	slices.SortFunc(all, func(a, b Usage) int {
		return cmp.Or(cmp.Compare(b.Used*a.Limit, a.Used*b.Limit), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Key, b.Key))
	})
	return all[:min(most, len(all))]
}

// Close gives the connections to Redis back.
func (l *Limits) Close() error {
	if l == nil {
		return nil
	}
	return l.close()
}
