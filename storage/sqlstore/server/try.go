package server

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	countTry = `
INSERT INTO tries (key, forgiven_at) VALUES (:key, :first)
ON CONFLICT (key) DO UPDATE SET forgiven_at =
	CASE WHEN tries.forgiven_at < :now THEN cast(:first AS bigint) ELSE tries.forgiven_at + :every END
WHERE tries.forgiven_at <= :full`

	returnTry = `
UPDATE tries SET forgiven_at = forgiven_at - :every WHERE key = :key`

	forgetTry = `
DELETE FROM tries WHERE key = :key`

	sweepTries = `
DELETE FROM tries WHERE key IN (SELECT key FROM tries WHERE forgiven_at <= :before LIMIT :limit)`
)

// CountTry implements storage.TryStore. Every try puts off the time at which all
// are forgiven, and there is room until that is too far ahead.
func (s *Server) CountTry(ctx context.Context, key []byte, now time.Time, burst int, every time.Duration) (bool, error) {
	n, err := s.db.WriteUnsynced(ctx, countTry, engine.Args{
		"key": key, "now": now, "first": now.Add(every), "every": every.Microseconds(),
		"full": now.Add(time.Duration(burst-1) * every),
	})
	return n > 0, err
}

// ReturnTry implements storage.TryStore.
func (s *Server) ReturnTry(ctx context.Context, key []byte, every time.Duration) error {
	_, err := s.db.WriteUnsynced(ctx, returnTry, engine.Args{"key": key, "every": every.Microseconds()})
	return err
}

// ForgetTries implements storage.TryStore.
func (s *Server) ForgetTries(ctx context.Context, keys ...[]byte) error {
	for _, key := range keys {
		if _, err := s.db.WriteUnsynced(ctx, forgetTry, engine.Args{"key": key}); err != nil {
			return err
		}
	}
	return nil
}
