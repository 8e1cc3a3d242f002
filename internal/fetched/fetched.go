// Package fetched keeps small documents that others publish, such as keys and metadata,
// and fetches them when they are old or lack what is looked for.
//
// One fetches at a time what many ask for. Who finds a document that will do waits for
// nobody; whoever does not waits for the one who fetches, while they want to. After a
// failure the document stays as it was, and where it is published is left alone for a
// while. Start at Documents.Find.
package fetched

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

const (
	rest    = 10 * time.Second // of a host or an address after a failure
	maxKept = 1000
)

// Options are what Documents are made of. Every field but Ends is needed.
type Options[T any] struct {
	Ambient *ambient.Source
	Timeout time.Duration

	// Least and Most bound for how long a document is good, whatever its headers say.
	Least, Most time.Duration

	// Ends reports whether after this failure what was there counts no more, and other
	// failures are this one until there is something again; nil: never.
	Ends func(failure error) bool

	// Get fetches and reads a document. Without a header there was no answer at all.
	Get func(ctx context.Context, address string) (T, http.Header, error)
}

// Documents are those of one kind. They are safe for concurrent use.
type Documents[T any] struct {
	with Options[T]

	mu      sync.Mutex
	all     map[string]*document[T] // by address
	resting map[string]failure      // hosts and addresses
}

type failure struct {
	until time.Duration
	cause error
}

// New returns no documents yet.
func New[T any](o Options[T]) *Documents[T] {
	return &Documents[T]{with: o, all: map[string]*document[T]{}, resting: map[string]failure{}}
}

// Find returns the document at an address, preferably one that has what is looked for.
// mayFetch is asked before anything is fetched.
func (d *Documents[T]) Find(ctx context.Context, address string, has func(T) bool, mayFetch func() error) (T, error) {
	one := d.document(address)
	if kept, good := one.look(has, d.with.Ambient.Elapsed()); good {
		return kept, nil // whoever else is fetching it
	}
	select {
	case one.fetching <- struct{}{}:
		defer func() { <-one.fetching }()
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
	now := d.with.Ambient.Elapsed()
	if kept, good := one.look(has, now); good {
		return kept, nil
	}
	err := d.rests(address, now)
	if err == nil {
		if err := mayFetch(); err != nil {
			return *new(T), one.orEnded(err)
		}
		err = d.fetch(ctx, address, one, now)
	}
	return one.last(now, d.with.Most, err)
}

func (d *Documents[T]) document(address string) *document[T] {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all[address] == nil {
		d.makeRoom()
		d.all[address] = &document[T]{fetching: make(chan struct{}, 1)}
	}
	return d.all[address]
}

// makeRoom forgets addresses of which nothing is known, which anybody can make up, and
// all of them only where that is not enough: they are fetched again.
func (d *Documents[T]) makeRoom() {
	if len(d.all) < maxKept {
		return
	}
	maps.DeleteFunc(d.all, func(_ string, one *document[T]) bool { return one.empty() })
	if len(d.all) >= maxKept {
		clear(d.all)
	}
}

// fetch replaces the document. After a failure it stays, and where it is is left alone
// for a while: the host that gave no answer, else the address alone, for a host may
// publish those of many.
//
// It goes on when whoever asked hangs up: anybody can ask in the name of somebody, and
// could keep a document from ever being fetched.
func (d *Documents[T]) fetch(ctx context.Context, address string, into *document[T], now time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.with.Timeout)
	defer cancel()
	kept, header, err := d.with.Get(ctx, address)
	switch {
	case err == nil:
		into.keep(kept, now, min(max(maxAge(header), d.with.Least), d.with.Most))
	case header == nil:
		d.leaveAlone(hostOf(address), now, err)
	default:
		d.leaveAlone(address, now, err)
	}
	if err != nil && d.with.Ends != nil && d.with.Ends(err) {
		into.end(err)
	}
	return err
}

// rests returns why an address is left alone; nil: it is not.
func (d *Documents[T]) rests(address string, now time.Duration) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, where := range []string{address, hostOf(address)} {
		if now < d.resting[where].until {
			return d.resting[where].cause
		}
	}
	return nil
}

func (d *Documents[T]) leaveAlone(where string, now time.Duration, cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.resting) >= maxKept {
		clear(d.resting)
	}
	d.resting[where] = failure{now + rest, cause}
}

func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Host
}
