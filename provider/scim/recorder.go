package scim

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/portico-id/portico/storage"
)

const (
	flushDelay   = 400 * time.Millisecond // a call is on the connection's page within a second
	flushTimeout = 10 * time.Second
	maxText      = 500 // bytes that are kept of a path and of what became of it
)

// recorder notes calls and writes them a moment later, all at once: no call waits for
// it. Of a connection it keeps no more than the store would.
type recorder struct {
	store storage.SCIMStore
	log   *slog.Logger

	writing sync.Mutex // held by the one that writes

	mu     sync.Mutex // guards what follows
	calls  map[string][]storage.SCIMCall
	used   map[string]time.Time
	timer  *time.Timer // nil: nothing is due
	closed bool
}

func newRecorder(store storage.SCIMStore, log *slog.Logger) *recorder {
	return &recorder{store: store, log: log, calls: map[string][]storage.SCIMCall{}, used: map[string]time.Time{}}
}

func (r *recorder) add(c storage.SCIMCall, tokenID string) {
	c.Path, c.Detail = shorten(c.Path), shorten(c.Detail)
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := append(r.calls[c.ConnectionID], c)
	r.calls[c.ConnectionID] = waiting[max(0, len(waiting)-storage.MaxSCIMCalls):]
	r.used[tokenID] = c.At
	if r.timer == nil && !r.closed {
		r.timer = time.AfterFunc(flushDelay, r.flushLater)
	}
}

// shorten returns the beginning of a text, without what can't be stored.
func shorten(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), maxText)], "\x00", ""), "")
}

// flushLater is what the timer runs. What can't be written is not worth another try.
func (r *recorder) flushLater() {
	r.mu.Lock()
	r.timer = nil
	r.mu.Unlock()
	if err := r.flush(); err != nil {
		r.log.Warn("writing what connections asked failed", "error", err)
	}
}

func (r *recorder) flush() error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	calls, used := r.calls, r.used
	r.calls, r.used = map[string][]storage.SCIMCall{}, map[string]time.Time{}
	r.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	var all []storage.SCIMCall
	for _, some := range calls {
		all = append(all, some...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	return r.store.RecordSCIMCalls(ctx, all, used)
}

// close writes what is left; nothing is scheduled any more.
func (r *recorder) close() error {
	r.mu.Lock()
	r.closed = true
	if r.timer != nil {
		r.timer.Stop()
	}
	r.mu.Unlock()
	return r.flush()
}
