package apps

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/portico-id/portico/storage"
)

const (
	flushDelay   = 400 * time.Millisecond // a failure is on the app's page within a second
	flushTimeout = 10 * time.Second

	maxWaiting      = 1000 // different failures, and secrets, that wait at once
	maxWaitingOfOne = 20   // failures of one client: nobody fills the others' room
	maxDetail       = 500  // characters that are kept of what was got
)

// Recorder notes what requests in the name of apps leave behind, when secrets
// were used and what was refused, and writes it a moment later, all at once: no
// request waits for it. What doesn't fit is dropped, so that a flood costs
// neither memory nor writes. It runs nothing while there is nothing to write.
type Recorder struct {
	store RecorderStore
	log   *slog.Logger

	writing sync.Mutex // held by the one that writes

	mu       sync.Mutex // guards what follows
	secrets  map[string]time.Time
	failures map[storage.ClientFailure]occurrence // keyed by client, kind, got and expected
	perApp   map[string]int
	timer    *time.Timer // nil: nothing is due
	closed   bool
}

// occurrence is how often the same failure came, and the last time.
type occurrence struct {
	last  storage.ClientFailure
	times int
}

// RecorderStore is what a Recorder writes to.
type RecorderStore interface {
	MarkSecretsUsed(ctx context.Context, used map[string]time.Time) error
	RecordClientFailures(ctx context.Context, failures []storage.ClientFailure) error
}

// NewRecorder returns a recorder. Close it when it is no longer needed.
func NewRecorder(store RecorderStore, log *slog.Logger) *Recorder {
	return &Recorder{
		store: store, log: log, secrets: map[string]time.Time{},
		failures: map[storage.ClientFailure]occurrence{}, perApp: map[string]int{},
	}
}

// SecretUsed notes that a client proved itself with the secret.
func (r *Recorder) SecretUsed(secretID string, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.secrets[secretID]; !known && len(r.secrets) >= maxWaiting {
		return
	}
	if at.After(r.secrets[secretID]) {
		r.secrets[secretID] = at
	}
	r.schedule()
}

// Failed notes a refused request. The texts of the failure may come from
// anybody; they are cut and cleaned here.
func (r *Recorder) Failed(failure storage.ClientFailure) {
	failure.Got, failure.Expected = shorten(failure.Got), shorten(failure.Expected)
	key := storage.ClientFailure{ClientID: failure.ClientID, Kind: failure.Kind, Got: failure.Got,
		Expected: failure.Expected}
	r.mu.Lock()
	defer r.mu.Unlock()
	seen, known := r.failures[key]
	if !known && (len(r.failures) >= maxWaiting || r.perApp[failure.ClientID] >= maxWaitingOfOne) {
		return
	}
	if !known {
		r.perApp[failure.ClientID]++
	}
	r.failures[key] = occurrence{failure, seen.times + 1}
	r.schedule()
}

// shorten returns the beginning of a text, without what can't be stored.
func shorten(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if utf8.RuneCountInString(text) <= maxDetail {
		return text
	}
	return string([]rune(text)[:maxDetail]) + "…"
}

// schedule makes sure that somebody will write. The caller holds mu.
func (r *Recorder) schedule() {
	if r.timer == nil && !r.closed {
		r.timer = time.AfterFunc(flushDelay, r.flushLater)
	}
}

// flushLater is what the timer runs. Uses that can't be written are tried again
// with the next; failures are not worth it.
func (r *Recorder) flushLater() {
	if err := r.Flush(); err != nil {
		r.log.Warn("writing what apps left behind failed", "error", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = nil
	if len(r.secrets)+len(r.failures) > 0 {
		r.schedule()
	}
}

// Flush writes what is there.
func (r *Recorder) Flush() error {
	r.writing.Lock()
	defer r.writing.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	return errors.Join(r.flushSecrets(ctx), r.flushFailures(ctx))
}

func (r *Recorder) flushSecrets(ctx context.Context) error {
	r.mu.Lock()
	used := maps.Clone(r.secrets)
	r.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	if err := r.store.MarkSecretsUsed(ctx, used); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, at := range used {
		if !r.secrets[id].After(at) {
			delete(r.secrets, id)
		}
	}
	return nil
}

func (r *Recorder) flushFailures(ctx context.Context) error {
	r.mu.Lock()
	due := r.failures
	r.failures, r.perApp = map[storage.ClientFailure]occurrence{}, map[string]int{}
	r.mu.Unlock()
	if len(due) == 0 {
		return nil
	}
	var list []storage.ClientFailure
	for _, seen := range due {
		seen.last.Times = seen.times
		list = append(list, seen.last)
	}
	return r.store.RecordClientFailures(ctx, list)
}

// Close writes what is left; nothing is scheduled any more. It may be called
// more than once.
func (r *Recorder) Close() error {
	r.mu.Lock()
	r.closed = true
	if r.timer != nil {
		r.timer.Stop()
	}
	r.mu.Unlock()
	return r.Flush()
}
