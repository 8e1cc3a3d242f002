package storage

import (
	"context"
	"time"
)

// TryStore counts tries of whatever may not be tried too often, such as
// passwords, for all servers together. It knows no names: keys are digests.
type TryStore interface {
	// CountTry counts a try, by the clock that all servers share where there is one
	// and else at now, and reports whether there was room for it: a
	// key has burst tries at once, and every so often one more. What has no room
	// is not counted. A power cut may take a count back.
	CountTry(ctx context.Context, key []byte, now time.Time, burst int, every time.Duration) (bool, error)

	// ReturnTry takes back one try that was counted with every.
	ReturnTry(ctx context.Context, key []byte, every time.Duration) error

	// ForgetTries gives the keys all their tries again.
	ForgetTries(ctx context.Context, keys ...[]byte) error
}
