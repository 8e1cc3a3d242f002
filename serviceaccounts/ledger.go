package serviceaccounts

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/storage"
)

const (
	flushDelay   = 400 * time.Millisecond // from the first entry to its writing (decision SA12: within a second)
	flushTimeout = 10 * time.Second
	maxRefusals  = 1000 // different ones that wait at once; what is beyond is in the log only
)

// ledger gathers what exchanges leave behind, when accounts and keys were used
// and which assertions were refused, and writes it a moment later, all at
// once: an exchange has no write in its path. It runs nothing while there is
// nothing to write.
type ledger struct {
	store Store
	log   *slog.Logger

	writing sync.Mutex // held by the one that writes

	mu       sync.Mutex                           // guards what follows
	keys     map[string]storage.ServiceAccountUse // latest use, by kid
	accounts map[string]storage.ServiceAccountUse // latest use, by account id
	refusals map[refusal]occurrence
	timer    *time.Timer // nil: nothing is due
	closed   bool
}

// refusal is one kind of refused assertions.
type refusal struct {
	clientID  string
	accountID string // empty: none of the client's
	cause     jwt.Cause
}

// occurrence says how often it came, and who was first.
type occurrence struct {
	first storage.Act
	count int
}

func newLedger(store Store, log *slog.Logger) *ledger {
	return &ledger{
		store:    store,
		log:      log,
		keys:     map[string]storage.ServiceAccountUse{},
		accounts: map[string]storage.ServiceAccountUse{},
		refusals: map[refusal]occurrence{},
	}
}

// used notes a use.
func (l *ledger) used(use storage.ServiceAccountUse) {
	l.mu.Lock()
	defer l.mu.Unlock()
	keepLatest(l.keys, use.KID, use)
	keepLatest(l.accounts, use.AccountID, use)
	l.schedule()
}

func keepLatest(uses map[string]storage.ServiceAccountUse, id string, use storage.ServiceAccountUse) {
	if use.At.After(uses[id].At) {
		uses[id] = use
	}
}

// schedule makes sure that somebody will write. The caller holds mu.
func (l *ledger) schedule() {
	if l.timer == nil && !l.closed {
		l.timer = time.AfterFunc(flushDelay, l.flushLater)
	}
}

// overlay returns the account with a use that is not written yet.
func (l *ledger) overlay(account storage.ServiceAccount) storage.ServiceAccount {
	l.mu.Lock()
	defer l.mu.Unlock()
	use, ok := l.accounts[account.ID]
	if ok && use.At.After(account.AccessedAt) {
		account.AccessedAt = use.At
	}
	if ok && use.ExpiresAt.After(account.ExpiresAt) {
		account.ExpiresAt = use.ExpiresAt
	}
	return account
}

// overlayKey is overlay for a key.
func (l *ledger) overlayKey(key storage.ServiceAccountKey) storage.ServiceAccountKey {
	l.mu.Lock()
	defer l.mu.Unlock()
	if use, ok := l.keys[key.KID]; ok && use.At.After(key.AccessedAt) {
		key.AccessedAt = use.At
	}
	return key
}

// flushLater is what the timer runs. What can't be written stays and is tried
// again.
func (l *ledger) flushLater() {
	if err := l.flush(); err != nil {
		l.log.Warn("writing the uses of service accounts failed", "error", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = nil
	if len(l.keys)+len(l.refusals) > 0 {
		l.schedule()
	}
}

// flush writes what is there. Uses stay visible to overlay until they are
// written.
func (l *ledger) flush() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	return errors.Join(l.flushUses(ctx), l.flushRefusals(ctx))
}

func (l *ledger) flushUses(ctx context.Context) error {
	l.mu.Lock()
	uses := slices.Collect(maps.Values(l.keys))
	l.mu.Unlock()
	if len(uses) == 0 {
		return nil
	}
	if err := l.store.MarkServiceAccountsUsed(ctx, uses); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, use := range uses {
		dropWritten(l.keys, use.KID, use.At)
		dropWritten(l.accounts, use.AccountID, use.At)
	}
	return nil
}

// dropWritten forgets a use unless there was a later one meanwhile.
func dropWritten(uses map[string]storage.ServiceAccountUse, id string, written time.Time) {
	if !uses[id].At.After(written) {
		delete(uses, id)
	}
}

// refused notes a refused assertion for the audit trail, where the client's
// owner finds the cause that the wire keeps to itself.
func (l *ledger) refused(act storage.Act, accountID string, why jwt.Cause) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kind := refusal{act.Actor.ID, accountID, why}
	seen, known := l.refusals[kind]
	switch {
	case known:
		l.refusals[kind] = occurrence{seen.first, seen.count + 1}
	case len(l.refusals) < maxRefusals:
		l.refusals[kind] = occurrence{act, 1}
		l.schedule()
	}
}

func (l *ledger) flushRefusals(ctx context.Context) error {
	l.mu.Lock()
	due := l.refusals
	l.refusals = map[refusal]occurrence{}
	l.mu.Unlock()
	for kind, times := range due {
		if err := l.store.RecordAudit(ctx, kind.event(times)); err != nil {
			l.keep(due)
			return err
		}
		delete(due, kind)
	}
	return nil
}

// keep has refusals wait that could not be written, with those that came meanwhile.
func (l *ledger) keep(refusals map[refusal]occurrence) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for kind, times := range refusals {
		since, known := l.refusals[kind]
		if known || len(l.refusals) < maxRefusals {
			l.refusals[kind] = occurrence{times.first, times.count + since.count}
		}
	}
}

// event is what the audit trail says about the refusals of one kind that came
// close together.
func (r refusal) event(times occurrence) storage.AuditEvent {
	detail, _ := json.Marshal(map[string]any{ // texts and a number always encode
		"cause": r.cause, "count": times.count, "service_account_id": r.accountID,
	})
	return storage.AuditEvent{Act: times.first, Kind: "assertion.refused", Subject: r.clientID, Detail: string(detail)}
}

// close writes what is left; nothing is scheduled any more.
func (l *ledger) close() error {
	l.mu.Lock()
	l.closed = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	return l.flush()
}
