// Package signingtest gives tests the signing keys of a fresh server without
// the work: making an RSA key takes a tenth of a second under the race detector,
// as long as all the rest of what a small test needs.
//
// The first keys are made once for the process, and every store gets the same ones.
// Tests of keys themselves, and those in which servers must not know each
// other's, call signing.Open. Start at Open. The package keeps a process-wide
// key: no program but a test may import it.
package signingtest

import (
	"slices"
	"sync"
	"testing"

	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/storage"
)

// made has the first []storage.SigningKey of each secret, by a code of its ring.
var made sync.Map

// Open is signing.Open, but that an empty store is given keys that were made
// before, as new. An error fails the test.
func Open(t testing.TB, options signing.Options) *signing.KeySet {
	t.Helper()
	secret := string(options.Ring.MAC("internal/harness/signingtest"))
	if keys, known := made.Load(secret); known && len(list(t, options.Store)) == 0 {
		for _, key := range keys.([]storage.SigningKey) {
			add(t, options, key)
		}
	}
	set, err := signing.Open(t.Context(), options)
	if err != nil {
		t.Fatalf("signingtest: %v", err)
	}
	if keys := list(t, options.Store); !slices.ContainsFunc(keys,
		func(k storage.SigningKey) bool { return k.Generation > 1 }) {
		made.LoadOrStore(secret, keys)
	}
	return set
}

func add(t testing.TB, options signing.Options, key storage.SigningKey) {
	t.Helper()
	key.CreatedAt = options.Ambient.Now()
	key.ActiveFrom = key.CreatedAt
	act := storage.Act{At: key.CreatedAt, Actor: storage.Actor{Kind: storage.ActorSystem}}
	if err := options.Store.AddSigningKey(t.Context(), act, key); err != nil {
		t.Fatalf("signingtest: giving the store its first key: %v", err)
	}
}

func list(t testing.TB, store storage.SigningKeyStore) []storage.SigningKey {
	t.Helper()
	keys, err := store.ListSigningKeys(t.Context())
	if err != nil {
		t.Fatalf("signingtest: %v", err)
	}
	return keys
}
