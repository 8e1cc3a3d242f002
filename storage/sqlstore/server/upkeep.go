package server

import (
	"context"
	"errors"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// keepEnded is how long codes stay after their end, so that a late second use
// is still recognised.
const keepEnded = 24 * time.Hour

var (
	sweepCodes            = engine.Sweeping("authorize_codes", "hash", "expires_at <= :before")
	sweepLoginRequests    = engine.Sweeping("login_requests", "id", "expires_at <= :before")
	sweepDevices          = engine.Sweeping("device_requests", "hash", "expires_at <= :before")
	sweepSessions         = engine.Sweeping("login_sessions", "id", "expires_at <= :before")
	sweepRevocations      = engine.Sweeping("revocations", "jti", "expires_at <= :before")
	sweepLogoutDeliveries = engine.Sweeping("logout_deliveries", "id", "created_at <= :before")
	sweepClientFailures   = engine.Sweeping("client_failures", "id", "at <= :before")
	sweepImports          = engine.Sweeping("imports", "id", "at <= :before")
	sweepOneTimeLinks     = engine.Sweeping("one_time_links", "hash", "expires_at <= :before")

	sweepInvitations = engine.Sweeping("client_invitations", "id", "expires_at <= :before")

	sweepAttempts = engine.Sweeping("upstream_attempts", "state_hash", "expires_at <= :before")

	// Nobody can have signed in to them: they never had a password.
	sweepLapsed = engine.Sweeping("users", "id", "ends_at IS NOT NULL AND ends_at <= :before")

	// A grant without a refresh token counts from its creation.
	sweepGrants = engine.Sweeping("grants", "id", "coalesce(expires_at, created_at) <= :before OR revoked_at <= :before")
)

// hasten makes due what a clock that was ahead has put off: what nobody has tried yet, and what
// was tried by such a clock. By a clock that is behind that is due anyway.
const (
	hastenMails = `
UPDATE mails SET next_at = :now WHERE next_at > :ahead AND (attempts = 0 OR last_at > :ahead)`

	hastenLogouts = `
UPDATE logout_deliveries SET next_at = :now WHERE next_at > :ahead AND (attempts = 0 OR last_at > :ahead)`

	hastenWebhooks = `
UPDATE webhook_deliveries SET next_at = :now WHERE next_at > :ahead AND (attempts = 0 OR last_at > :ahead)`

	hastenScans = `
UPDATE objects SET scan_due = :now
WHERE scan_due > :ahead AND (scan_due = stored_at OR scan_due > :scanned)`

	hastenDocuments = `
UPDATE twin_documents SET due_at = :now WHERE due_at > :ahead`
)

const (
	countRecords = `
SELECT (SELECT count(*) FROM users) AS users,
	(SELECT count(*) FROM users WHERE disabled) AS disabled_users,
	(SELECT count(*) FROM users WHERE admin AND NOT disabled) AS administrators,
	(SELECT count(*) FROM clients) AS clients,
	(SELECT count(*) FROM clients WHERE disabled) AS disabled_clients,
	(SELECT count(*) FROM service_accounts) AS service_accounts,
	(SELECT count(*) FROM login_sessions WHERE expires_at > :now) AS sessions,
	(SELECT count(*) FROM grants WHERE revoked_at IS NULL AND expires_at > :now) AS grants`

	countWaiting = `
SELECT (SELECT count(*) FROM mails WHERE next_at IS NOT NULL) AS mails,
	(SELECT count(*) FROM logout_deliveries WHERE next_at IS NOT NULL) AS logouts,
	(SELECT count(*) FROM webhook_deliveries WHERE next_at IS NOT NULL) AS webhooks,
	(SELECT count(*) FROM objects WHERE scan_due IS NOT NULL) AS scans,
	(SELECT count(*) FROM (SELECT seq FROM events WHERE position IS NULL LIMIT :most) waiting) AS changes,
	(SELECT at FROM events WHERE position IS NULL ORDER BY seq LIMIT 1) AS changed_at`

	oldestExpired = `
SELECT coalesce(min(due), 0) FROM (
	SELECT min(expires_at) + :keep_ended AS due FROM authorize_codes
	UNION ALL SELECT min(expires_at) + :keep_spent FROM login_requests
	UNION ALL SELECT min(expires_at) + :keep_spent FROM login_sessions
	UNION ALL SELECT min(coalesce(expires_at, created_at)) + :keep_grants FROM grants
	UNION ALL SELECT min(revoked_at) + :keep_grants FROM grants WHERE revoked_at IS NOT NULL
	UNION ALL SELECT min(expires_at) + :keep_spent FROM revocations
) oldest WHERE due <= :now`

	// What lies further ahead than anybody takes a lease for comes from a clock
	// that was wrong. Who gives one back takes none from others.
	takeLease = `
INSERT INTO leases (name, holder, expires_at) VALUES (:name, :holder, {clock or now} + cast(:length AS bigint))
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
WHERE leases.holder = excluded.holder OR leases.expires_at <= {clock or now}
	OR cast(:length AS bigint) > 0 AND leases.expires_at > {clock or now} + 2 * cast(:length AS bigint)`
)

// SweepExpired implements storage.UpkeepStore. Each kind is a transaction of
// its own, so that a sweep never holds up anyone for long.
func (s *Server) SweepExpired(ctx context.Context, now time.Time, keepGrants time.Duration, limit int) (int, error) {
	late := now.Add(-storage.KeepSpent)
	kinds := []struct {
		query  string
		before time.Time
	}{
		{sweepCodes, now.Add(-keepEnded)},
		{sweepLoginRequests, late},
		{sweepDevices, now.Add(-storage.KeepExpiredDevices)},
		{sweepSessions, late},
		{sweepGrants, now.Add(-keepGrants)},
		{sweepRevocations, late},
		{sweepLogoutDeliveries, now.Add(-storage.KeepLogoutDeliveries)},
		{sweepClientFailures, now.Add(-storage.KeepClientFailures)},
		{sweepOneTimeLinks, late},
		{sweepImports, late.Add(-storage.KeepImports)},
		{sweepInvitations, late},
		{sweepAttempts, late},
		{sweepLapsed, late},
		{sweepMails, now.Add(-storage.KeepMails)},
		{sweepTries, now},
		{sweepShownPages, late},
		{sweepForms, now.Add(-storage.KeepSentForms)},
		{sweepUsageHours, now.Add(-storage.KeepUsageHours)},
		{sweepUsageDays, now.Add(-storage.KeepUsageDays)},
		{forgetCrowds, now.Add(-storage.KeepCrowds)},
		{query: hastenMails}, {query: hastenLogouts}, {query: hastenWebhooks}, {query: hastenScans}, {query: hastenDocuments},
	}
	total := 0
	var failures error
	for _, kind := range kinds {
		n, err := s.db.Sweep(ctx, kind.query, engine.Args{"before": kind.before, "now": now, "limit": limit,
			"ahead": now.Add(storage.ClocksApart), "scanned": now.Add(storage.ClocksApart + storage.ScanWithin)})
		total, failures = total+n, errors.Join(failures, err)
	}
	return total, failures
}

// OldestExpired implements storage.UpkeepStore.
func (s *Server) OldestExpired(ctx context.Context, now time.Time, keepGrants time.Duration) (time.Time, error) {
	var due int64
	err := s.db.Get(ctx, &due, oldestExpired, engine.Args{
		"now": now, "keep_ended": keepEnded.Microseconds(), "keep_grants": keepGrants.Microseconds(),
		"keep_spent": storage.KeepSpent.Microseconds(),
	})
	if err != nil || due == 0 {
		return time.Time{}, engine.AsFault(err)
	}
	return time.UnixMicro(due).UTC(), nil
}

// CountRecords implements storage.UpkeepStore.
func (s *Server) CountRecords(ctx context.Context, now time.Time) (storage.RecordCounts, error) {
	var counts storage.RecordCounts
	err := s.db.Get(ctx, &counts, countRecords, engine.Args{"now": now})
	return counts, engine.AsFault(err)
}

// CountWaiting implements storage.UpkeepStore.
func (s *Server) CountWaiting(ctx context.Context) (storage.Waiting, error) {
	var waiting storage.Waiting
	err := s.db.Get(ctx, &waiting, countWaiting, engine.Args{"most": storage.MostWaiting})
	return waiting, engine.AsFault(err)
}

// AcquireLease implements storage.UpkeepStore.
func (s *Server) AcquireLease(ctx context.Context, name, holder string, now, until time.Time) (bool, error) {
	n, err := s.db.WriteOne(ctx, takeLease, engine.Args{
		"name": name, "holder": holder, "now": now, "length": until.Sub(now).Microseconds(),
	})
	return n > 0, err
}
