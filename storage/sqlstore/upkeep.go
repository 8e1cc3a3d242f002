package sqlstore

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
)

// keepEnded is how long codes and login requests stay after their end, so that
// a late second use is still recognised.
const keepEnded = 24 * time.Hour

const (
	sweepCodes = `
DELETE FROM authorize_codes WHERE hash IN (
	SELECT hash FROM authorize_codes WHERE expires_at <= :before LIMIT :limit)`

	sweepLoginRequests = `
DELETE FROM login_requests WHERE id IN (
	SELECT id FROM login_requests WHERE expires_at <= :before LIMIT :limit)`

	sweepSessions = `
DELETE FROM login_sessions WHERE id IN (
	SELECT id FROM login_sessions WHERE expires_at <= :before LIMIT :limit)`

	// A grant without a refresh token counts from its creation.
	sweepGrants = `
DELETE FROM grants WHERE id IN (
	SELECT id FROM grants WHERE coalesce(expires_at, created_at) <= :before OR revoked_at <= :before LIMIT :limit)`

	sweepRevocations = `
DELETE FROM revocations WHERE jti IN (
	SELECT jti FROM revocations WHERE expires_at <= :before LIMIT :limit)`

	sweepLogoutDeliveries = `
DELETE FROM logout_deliveries WHERE id IN (
	SELECT id FROM logout_deliveries WHERE created_at <= :before LIMIT :limit)`

	takeLease = `
INSERT INTO leases (name, holder, expires_at) VALUES (:name, :holder, :until)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
WHERE leases.holder = excluded.holder OR leases.expires_at <= :now`
)

// SweepExpired implements storage.UpkeepStore. Each kind is a transaction of
// its own, so that a sweep never holds up anyone for long.
func (s *Store) SweepExpired(ctx context.Context, now time.Time, keepGrants time.Duration, limit int) (int, error) {
	kinds := []struct {
		query  string
		before time.Time
	}{
		{sweepCodes, now.Add(-keepEnded)},
		{sweepLoginRequests, now.Add(-keepEnded)},
		{sweepSessions, now},
		{sweepGrants, now.Add(-keepGrants)},
		{sweepRevocations, now},
		{sweepLogoutDeliveries, now.Add(-storage.KeepLogoutDeliveries)},
	}
	total := 0
	for _, kind := range kinds {
		n, err := s.writeOne(ctx, kind.query, args{"before": at(kind.before), "limit": limit})
		if err != nil {
			return total, err
		}
		total += int(n)
	}
	return total, nil
}

// AcquireLease implements storage.UpkeepStore.
func (s *Store) AcquireLease(ctx context.Context, name, holder string, now, until time.Time) (bool, error) {
	n, err := s.writeOne(ctx, takeLease, args{
		"name": name, "holder": holder, "now": at(now), "until": at(until),
	})
	return n > 0, err
}
