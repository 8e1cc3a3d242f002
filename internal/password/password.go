// Package password hashes and checks people's passwords with Argon2id, on a
// bounded number of workers, so that a flood of sign-ins can starve neither the
// token endpoint nor the memory. Check holds the rules for new passwords, CheckHash
// those for hashes that other products made.
//
// Client secrets do not belong here: they have 256 random bits and need no slow
// hash. Start at Hasher.
package password

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
)

// ReasonBusy is the reason of the Unavailable fault when too many wait.
const ReasonBusy = "busy"

// queuePerWorker is how many may wait for each worker. A hash takes some 30 ms,
// so whoever waits at the end is served within a few seconds. On a machine with
// a single worker it must hold everybody who comes at the full hour.
const queuePerWorker = 128

// Hasher hashes passwords. It is safe for concurrent use.
type Hasher struct {
	current params // of new hashes
	ambient *ambient.Source
	workers chan struct{} // one place per hash that may run at once
	waiting atomic.Int64  // callers that run or wait
}

// New returns a hasher with Workers() workers. New hashes have the least that
// OWASP's password storage guidance asks of Argon2id.
func New(source *ambient.Source) *Hasher {
	return hasherOf(source, params{memory: 19 << 10, time: 2, threads: 1})
}

// NewCheap returns a hasher that works as New's and protects nothing: for tests
// that let many sign in.
func NewCheap(source *ambient.Source) *Hasher {
	return hasherOf(source, params{memory: 8, time: 1, threads: 1})
}

func hasherOf(source *ambient.Source, current params) *Hasher {
	return &Hasher{current: current, ambient: source, workers: make(chan struct{}, Workers())}
}

// Workers is how many hashes run at once: one fewer than there are processors,
// so that one is always left for other work, and at least one.
func Workers() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// Hash returns the password's hash in PHC string form:
// $argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>. Unavailable with ReasonBusy when
// too many wait already or ctx ends first.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer h.leave()
	salt := h.ambient.Bytes(saltSize)
	return hash{params: h.current, salt: salt, sum: h.current.sum(password, salt, sumSize)}.String(), nil
}

// Verify reports whether the password is the one of the hash, and whether the
// hash was made with other parameters than new ones are, so that the caller
// replaces it; so it is of one that another product made (see CheckHash). An empty
// hash (a user without a password) matches nothing after the same work. A malformed hash is Internal; busy as Hash.
func (h *Hasher) Verify(ctx context.Context, phc, password string) (ok, rehash bool, err error) {
	if phc == "" {
		return false, false, h.VerifyNothing(ctx, password)
	}
	stored, err := read(phc)
	if err != nil {
		return false, false, fault.New(fault.Internal, "password_hash", "").Because(err)
	}
	if err := h.enter(ctx); err != nil {
		return false, false, err
	}
	defer h.leave()
	ok = stored.fits(password)
	own, isOwn := stored.(hash)
	return ok, ok && !(isOwn && own.madeWith(h.current)), nil
}

// VerifyNothing does the work of Verify for a user who does not exist, so that
// the time an answer takes does not tell.
func (h *Hasher) VerifyNothing(ctx context.Context, password string) error {
	if err := h.enter(ctx); err != nil {
		return err
	}
	defer h.leave()
	h.current.sum(password, make([]byte, saltSize), sumSize)
	return nil
}

// enter waits for a worker. Whoever would have to wait too long is sent away at
// once: a queue that only grows serves nobody.
func (h *Hasher) enter(ctx context.Context) error {
	if h.waiting.Add(1) > int64(cap(h.workers)*(queuePerWorker+1)) {
		h.waiting.Add(-1)
		return busy()
	}
	select {
	case h.workers <- struct{}{}:
		return nil
	case <-ctx.Done():
		h.waiting.Add(-1)
		return busy().Because(ctx.Err())
	}
}

// Load returns how many hashes are worked on or waited for, and how many can be worked
// on at once.
func (h *Hasher) Load() (waiting, workers int) { return int(h.waiting.Load()), cap(h.workers) }

func (h *Hasher) leave() {
	<-h.workers
	h.waiting.Add(-1)
}

func busy() *fault.Error {
	return fault.New(fault.Unavailable, ReasonBusy,
		"Too many people are signing in at this moment. Try again in a few seconds.").After(2 * time.Second)
}
