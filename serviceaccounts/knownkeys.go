package serviceaccounts

import (
	"context"
	"crypto/x509"
	"maps"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
)

const (
	// keyStaleness is how long another replica's word that a key or an account
	// is disabled may go unheard. Access tokens are judged at each use, so what
	// is issued meanwhile is worth nothing.
	keyStaleness = 400 * time.Millisecond

	maxKnownKeys = 4096 // bounds the memory: two kilobytes each
)

// knownKey is a key with its account, ready to check a signature.
type knownKey struct {
	storage.ServiceAccountKey
	account storage.ServiceAccount
	public  any
	until   time.Duration // by a clock that nobody sets
}

// usable reports whether assertions may be signed with the key at a time.
func (k knownKey) usable(now time.Time) bool {
	return k.Status == storage.KeyEnabled && k.LiveAt(now) && k.account.StatusAt(now) == storage.ServiceAccountEnabled
}

// knownKeys remembers keys for a moment, so that a busy account is read from
// the database, and its key parsed, a few times a second and not at every
// exchange. It keeps usable ones only: what is enabled or created works at once
// on every replica.
type knownKeys struct {
	store   Store
	ambient *ambient.Source

	mu    sync.RWMutex
	known map[string]knownKey // by kid
}

func newKnownKeys(store Store, source *ambient.Source) *knownKeys {
	return &knownKeys{store: store, ambient: source, known: map[string]knownKey{}}
}

// find returns the key and its account, in any state, or NotFound.
func (k *knownKeys) find(ctx context.Context, kid string, now time.Time) (knownKey, error) {
	at := k.ambient.Elapsed()
	k.mu.RLock()
	hit, ok := k.known[kid]
	k.mu.RUnlock()
	if ok && at < hit.until && hit.usable(now) {
		return hit, nil
	}
	key, account, err := k.store.FindServiceAccountKey(ctx, kid)
	if err != nil {
		return knownKey{}, err
	}
	public, err := x509.ParsePKIXPublicKey(key.Public)
	if err != nil {
		return knownKey{}, err
	}
	found := knownKey{ServiceAccountKey: key, account: account, public: public, until: at + keyStaleness}
	if found.usable(now) {
		k.keep(found, at)
	}
	return found, nil
}

func (k *knownKeys) keep(found knownKey, at time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.known) >= maxKnownKeys {
		maps.DeleteFunc(k.known, func(_ string, one knownKey) bool { return at >= one.until })
	}
	if len(k.known) < maxKnownKeys {
		k.known[found.KID] = found
	}
}

// ForgetKeys has every key read anew: one, or its account, has changed.
func (a *Accounts) ForgetKeys() { a.known.forget() }

// forget makes a change that was made here count here at once.
func (k *knownKeys) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.known)
}
