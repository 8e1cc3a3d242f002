package storage

import (
	"context"
	"time"
)

// SigningKey is one of the server's own key pairs. The active key of an algorithm
// is the one with the highest generation whose ActiveFrom has come; later
// generations are published ahead, earlier ones for as long as their last token
// lives.
type SigningKey struct {
	Algorithm  string // what it signs with, such as RS256; one key never has two
	Generation int    // of the algorithm's keys: from 1, without gaps at the top; unique
	KID        string // names the key to the world
	Sealed     []byte // the private key, PKCS#8, encrypted under the configured secret
	Public     []byte // PKIX, DER
	CreatedAt  time.Time
	ActiveFrom time.Time
}

// SigningKeyStore keeps the server's signing keys.
type SigningKeyStore interface {
	// ListSigningKeys returns all keys, by algorithm, and of each the highest
	// generation first.
	ListSigningKeys(ctx context.Context) ([]SigningKey, error)

	// AddSigningKey adds a key. Conflict when the algorithm's generation exists
	// already: another replica was first, and its key is as good.
	AddSigningKey(ctx context.Context, act Act, key SigningKey) error

	// PromoteSigningKey moves ActiveFrom of the generation forward to act.At,
	// if it still lies after that; otherwise nothing changes. NotFound.
	PromoteSigningKey(ctx context.Context, act Act, algorithm string, generation int) error

	// DeleteSigningKeys removes every generation of the algorithm below the given
	// one.
	DeleteSigningKeys(ctx context.Context, act Act, algorithm string, below int) error
}
