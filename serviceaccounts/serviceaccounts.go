// Package serviceaccounts is machine identities: a client application creates
// accounts, each with key pairs, signs a statement with one of the keys and
// exchanges it for a token that speaks for the account (S1 sections 2.10 to
// 2.12, 3, 4.2, 5 and 7).
//
// It owns the rules, the operations under
// /authentication/v2/service-accounts, and the judgement of assertions. The
// token endpoint itself is package provider's, which asks VerifyAssertion and
// AcceptAssertion. Start at New; rules.go and claims.go are the pure rules,
// accounts.go and keys.go the acts, handlers.go the API.
package serviceaccounts

import (
	"context"
	"crypto/rsa"
	"errors"
	"log/slog"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
)

// Store is what service accounts keep and look up.
type Store interface {
	storage.ServiceAccountStore
	FindClient(ctx context.Context, id string) (storage.Client, error) // of storage.ClientStore
	RecordAudit(ctx context.Context, event storage.AuditEvent) error   // of storage.AuditStore
}

// Options are what Accounts is made of. Every field is needed unless its
// comment says otherwise.
type Options struct {
	Store       Store
	Ambient     *ambient.Source
	Log         *slog.Logger
	TokenURL    string        // {base_url}/authentication/v2/token, the aud of assertions
	Audiences   []string      // further values accepted as aud; may be empty
	EmailDomain string        // of the accounts' addresses
	Lifetime    time.Duration // of an account that is not used; 0: 365 days
	KeysAhead   int           // key pairs made in advance; 0: 3, negative: none

	Pair func() (*rsa.PrivateKey, error) // makes a key pair; nil: at random
}

const (
	defaultLifetime  = 365 * 24 * time.Hour // decision SA2
	defaultKeysAhead = storage.MaxServiceAccountKeys

	// The expiry that is written may be behind the last use by the time a
	// batch of uses waits, so the clean-up leaves an account that long.
	deactivationDelay = time.Minute
)

// Accounts manages service accounts and judges their assertions. It is safe
// for concurrent use. Close it when it is no longer needed.
type Accounts struct {
	store       Store
	ambient     *ambient.Source
	log         *slog.Logger
	audiences   []string
	emailDomain string
	lifetime    time.Duration
	keys        *keyPool
	known       *knownKeys
	ledger      *ledger
}

// New returns an Accounts, which soon begins to make key pairs ahead.
func New(o Options) *Accounts {
	if o.Lifetime == 0 {
		o.Lifetime = defaultLifetime
	}
	if o.KeysAhead == 0 {
		o.KeysAhead = defaultKeysAhead
	}
	if o.Pair == nil {
		o.Pair = atRandom(o.Ambient)
	}
	return &Accounts{
		store:       o.Store,
		ambient:     o.Ambient,
		log:         o.Log,
		audiences:   append([]string{o.TokenURL}, o.Audiences...),
		emailDomain: o.EmailDomain,
		lifetime:    o.Lifetime,
		keys:        newKeyPool(o.KeysAhead, rest, o.Pair, o.Log),
		known:       newKnownKeys(o.Store, o.Ambient),
		ledger:      newLedger(o.Store, o.Log),
	}
}

// Close stops the work in the background and writes what is pending. It may be
// called more than once.
func (a *Accounts) Close() error {
	a.keys.close()
	return a.ledger.close()
}

// Sweep does at most limit rows of each kind of clean-up: it forgets
// assertions that have expired and notes which accounts have. It returns how
// many rows that were; fewer than limit means done for now.
func (a *Accounts) Sweep(ctx context.Context, limit int) (int, error) {
	act := storage.Act{At: a.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorSystem}}
	forgotten, err := a.store.SweepAssertionIDs(ctx, act.At, limit)
	deactivated, more := a.store.DeactivateServiceAccounts(ctx, act, act.At.Add(-deactivationDelay), limit)
	return forgotten + deactivated, errors.Join(err, more)
}
