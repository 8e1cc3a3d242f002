package server

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// Tries go by the clock that all servers share, so that one whose own clock is
// ahead locks nobody out. What lies further ahead than tries can be comes from a
// clock that was wrong, and counts as none.
const (
	countTry = `
INSERT INTO tries (key, forgiven_at) VALUES (:key, {clock or now} + cast(:every AS bigint))
ON CONFLICT (key) DO UPDATE SET forgiven_at =
	CASE WHEN tries.forgiven_at BETWEEN {clock or now} AND {clock or now} + cast(:full AS bigint)
		THEN tries.forgiven_at ELSE {clock or now} END + cast(:every AS bigint)
WHERE tries.forgiven_at <= {clock or now} + cast(:room AS bigint)
	OR tries.forgiven_at > {clock or now} + cast(:full AS bigint)`

	returnTry = `
UPDATE tries SET forgiven_at = forgiven_at - :every WHERE key = :key`

	forgetTry = `
DELETE FROM tries WHERE key = :key`
)

// The clock is asked once, so that there is an index for what it says.
var sweepTries = engine.Sweeping("tries", "key", "forgiven_at <= (SELECT {clock or now})")

// CountTry implements storage.TryStore. Every try puts off the time at which all
// are forgiven, and there is room until that is too far ahead.
func (s *Server) CountTry(ctx context.Context, key []byte, now time.Time, burst int,
	every time.Duration) (bool, error) {
	n, err := s.db.WriteUnsynced(ctx, countTry, engine.Args{
		"key": key, "now": now, "every": every.Microseconds(), "room": (time.Duration(burst-1) * every).Microseconds(),
		"full": (time.Duration(burst) * every).Microseconds(),
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
