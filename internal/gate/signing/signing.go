// Package signing owns the server's signing keys and the tokens they sign:
// access tokens, ID tokens and logout tokens, with RS256 unless a client is
// registered for another algorithm (decision T1).
//
// It is not where anyone decides what a token may say (provider,
// serviceaccounts), nor whether a token was revoked (internal/gate/bearer). Start at
// Open; sign.go and verify.go are what requests use, rotation.go is what the
// worker and the command line use.
package signing

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/signing/libcrypto"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// Options are what a KeySet is made of. Zero durations take the defaults.
type Options struct {
	Store   storage.SigningKeyStore
	Ring    *sealing.Ring // seals the private halves
	Ambient *ambient.Source
	Log     *slog.Logger
	Native  *libcrypto.Library // signs with RSA where there is one; nil: Go's own crypto does

	Issuer   string // iss of every token: the base URL, byte for byte
	Audience string // aud of access tokens; empty: the issuer

	Ahead         time.Duration // least time a key is published before it signs; 14 days
	Active        time.Duration // how long a key signs; 90 days
	TokenLifetime time.Duration // of the longest-lived token; 1 hour
	Refresh       time.Duration // how old the loaded view of the keys may get; 500 ms
}

const (
	day = 24 * time.Hour

	// retirementMargin is added to the life of the last token of a former key,
	// for verifiers whose clocks are behind ours.
	retirementMargin = time.Hour

	reloadTimeout = 2 * time.Second
	cachedTokens  = 8192
)

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&o.Ahead, 14 * day},
		{&o.Active, 90 * day},
		{&o.TokenLifetime, time.Hour},
		{&o.Refresh, 500 * time.Millisecond},
	} {
		*d.value = cmp.Or(*d.value, d.fallback)
	}
	o.Audience = cmp.Or(o.Audience, o.Issuer)
	return o
}

// Audience is the aud of access tokens that are for our own APIs.
func (s *KeySet) Audience() string { return s.with.Audience }

// KeySet is the server's keys, kept in the store and shared by all replicas.
// It is safe for concurrent use and runs nothing while nobody uses it.
type KeySet struct {
	with    Options
	view    atomic.Pointer[view]
	loads   atomic.Int64  // how many loads have begun; orders their results
	signing chan struct{} // one place per signature that may be made at once
	seen    *cache        // access tokens whose signature was found good
	lookups lookups       // in seen

	mu        sync.Mutex // guards what follows
	reloading chan struct{}
	triedAt   time.Time
	failing   bool
}

// Open returns the key set of the store and makes the first keys if there are
// none; replicas that start at once end with the same ones. The next keys,
// published ahead, are left to Maintain, which should run soon after start:
// making an RSA key costs a tenth of a second. It fails when the store does, or
// when the configured secret opens no key that may sign.
func Open(ctx context.Context, options Options) (*KeySet, error) {
	s := &KeySet{
		with:    options.withDefaults(),
		signing: make(chan struct{}, runtime.GOMAXPROCS(0)),
		seen:    newCache(cachedTokens),
	}
	v, err := s.load(ctx)
	if fault.Is(err, fault.NotFound) {
		v, err = s.begin(ctx)
	}
	if err != nil {
		return nil, err
	}
	if v.lines[RS256].signer(s.with.Ambient.Now()) == nil {
		return nil, errSealed
	}
	return s, nil
}

var errSealed = fault.New(fault.Internal, "sealed_keys",
	"The configured secret does not open the signing keys in the database. "+
		"After replacing the secret, give the old one as the previous secret.")

// begin makes generation 1, which signs at once: nobody has looked at our keys
// before. Another replica may be first: its keys are ours.
func (s *KeySet) begin(ctx context.Context) (*view, error) {
	act := s.systemAct()
	for _, f := range families {
		if f.late {
			continue
		}
		if err := s.add(ctx, act, f, 1, act.At); err != nil {
			return nil, fmt.Errorf("making the first signing keys: %w", err)
		}
	}
	return s.load(ctx)
}

func (s *KeySet) systemAct() storage.Act {
	return storage.Act{At: s.with.Ambient.Now(), Actor: storage.Actor{Kind: storage.ActorSystem}}
}

// Lookups returns how often the signature of an access token that was shown had been
// checked a moment ago, and how often not.
func (s *KeySet) Lookups() (known, unknown uint64) {
	return s.lookups.known.Load(), s.lookups.unknown.Load()
}
