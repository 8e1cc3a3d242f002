package storage

import (
	"context"
	"time"
)

// SigningKey is one of the server's own key pairs. The active key is the one
// with the highest generation whose ActiveFrom has come; later generations are
// published ahead, earlier ones for as long as their last token lives.
type SigningKey struct {
	Generation int    // from 1, without gaps at the top; unique
	KID        string // names the key to the world
	Sealed     []byte // the private key, PKCS#8, encrypted under the configured secret
	Public     []byte // PKIX, DER
	CreatedAt  time.Time
	ActiveFrom time.Time
}

// SigningKeyStore keeps the server's signing keys.
type SigningKeyStore interface {
	// ListSigningKeys returns all keys, highest generation first.
	ListSigningKeys(ctx context.Context) ([]SigningKey, error)

	// AddSigningKey adds a key. Conflict when the generation exists already:
	// another replica was first, and its key is as good.
	AddSigningKey(ctx context.Context, act Act, key SigningKey) error

	// PromoteSigningKey moves ActiveFrom of the generation forward to act.At,
	// if it still lies after that; otherwise nothing changes. NotFound.
	PromoteSigningKey(ctx context.Context, act Act, generation int) error

	// ResealSigningKey replaces the sealed private half. NotFound.
	ResealSigningKey(ctx context.Context, generation int, sealed []byte) error

	// DeleteSigningKeys removes every generation below the given one.
	DeleteSigningKeys(ctx context.Context, act Act, below int) error
}
