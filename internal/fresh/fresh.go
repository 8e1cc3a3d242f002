// Package fresh keeps what the database says for the many who ask for it, and looks
// again twice a second: what somebody changes on one server acts on every server
// within a second. Start at New for one small record, and at NewMoments for answers to
// many questions.
package fresh

import (
	"context"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

const (
	// staleness bounds how long a change may go unnoticed.
	staleness = 500 * time.Millisecond

	// patience is how long somebody waits for a database that does not answer. Then it
	// is as it was.
	patience = time.Second
)

// Value is the record. It is safe for concurrent use.
type Value[T any] struct {
	ambient *ambient.Source
	load    func(context.Context) (T, error)

	lock     sync.Mutex
	kept     T
	known    bool // once it was read
	loadedAt time.Time
	loading  chan struct{} // closed once who reads it is done; nil: nobody does
	stale    bool          // it was forgotten while it was read, perhaps as it was before
}

// New returns a value that load reads.
func New[T any](source *ambient.Source, load func(context.Context) (T, error)) *Value[T] {
	return &Value[T]{ambient: source, load: load}
}

// Learn reads the record before anybody asks for it. A server does so at its start: one
// that was never read says less than the one that is there.
func (v *Value[T]) Learn(ctx context.Context) error {
	record, err := v.load(ctx)
	v.lock.Lock()
	defer v.lock.Unlock()
	v.keep(record, err)
	return err
}

// Get returns the record as it is now.
func (v *Value[T]) Get() T {
	mine, first := v.begins()
	switch {
	case mine:
		v.look()
	case first != nil:
		<-first
	}
	v.lock.Lock()
	defer v.lock.Unlock()
	return v.kept
}

// Forget has whoever asks next look again.
func (v *Value[T]) Forget() {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.loadedAt, v.stale = time.Time{}, v.loading != nil
}

// begins reports whether the caller is the one who has to look again. The others
// take what is known meanwhile: a database that does not answer holds up one of them
// at a time. While nothing is known they wait for the first look, since no record at
// all may say less than the one that is there; when that fails, whoever asks next tries.
func (v *Value[T]) begins() (mine bool, first <-chan struct{}) {
	v.lock.Lock()
	defer v.lock.Unlock()
	now := v.ambient.Now()
	due := !v.known || v.loadedAt.IsZero() || now.Sub(v.loadedAt) >= staleness || now.Before(v.loadedAt)
	switch {
	case v.loading != nil && !v.known:
		return false, v.loading
	case !due || v.loading != nil:
		return false, nil
	}
	v.loading = make(chan struct{})
	return true, nil
}

func (v *Value[T]) look() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	record, err := v.load(ctx)
	v.lock.Lock()
	defer v.lock.Unlock()
	v.keep(record, err)
	if v.stale {
		v.loadedAt, v.stale = time.Time{}, false
	}
	close(v.loading)
	v.loading = nil
}

func (v *Value[T]) keep(record T, err error) {
	if err == nil {
		v.kept, v.known = record, true
	}
	v.loadedAt = v.ambient.Now()
}
