package federation

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	recheckColumns = `upstream_id, issuer, subject, token, asked_at, told_at`

	keepRecheck = `
INSERT INTO upstream_rechecks (` + recheckColumns + `)
SELECT upstream_id, issuer, subject, :token, :asked_at, :told_at
FROM upstream_identities WHERE ` + ofKey + ` AND ended_at IS NULL
ON CONFLICT (upstream_id, issuer, subject)
	DO UPDATE SET token = excluded.token, asked_at = excluded.asked_at, told_at = excluded.told_at`

	noteRecheck = `
UPDATE upstream_rechecks SET asked_at = :asked_at, told_at = :told_at WHERE ` + ofKey

	claimRecheck = `
UPDATE upstream_rechecks SET asked_at = :now WHERE ` + ofKey + ` AND asked_at = :asked_at`

	spendRecheck = `
DELETE FROM upstream_rechecks WHERE ` + ofKey + ` AND token = :token AND told_at = :told_at`

	deleteRechecksOfUpstream = `
DELETE FROM upstream_rechecks WHERE upstream_id = :id`

	// Those of the user whose identities have ended.
	deleteRechecks = `
DELETE FROM upstream_rechecks WHERE upstream_id = :upstream_id AND (issuer, subject) IN (
	SELECT issuer, subject FROM upstream_identities
	WHERE upstream_id = :upstream_id AND user_id = :user_id AND ended_at IS NOT NULL)`
)

var (
	selectLiveRechecks = `
SELECT i.user_id, ` + engine.InTable("r", recheckColumns) + `
FROM upstream_identities i JOIN upstream_rechecks r
	ON r.upstream_id = i.upstream_id AND r.issuer = i.issuer AND r.subject = i.subject
WHERE i.upstream_id = :upstream_id AND i.ended_at IS NULL`

	selectRechecks = selectLiveRechecks + ` AND i.user_id = :user_id`

	selectDueRechecks = selectLiveRechecks + ` AND (r.asked_at <= :asked_before OR r.asked_at >= :asked_after)
	AND (:whenever OR r.told_at <= :told_before)
	AND EXISTS (SELECT 1 FROM login_sessions s
		WHERE s.user_id = i.user_id AND s.upstream_id = i.upstream_id AND s.expires_at > :now)
ORDER BY r.asked_at, r.subject LIMIT :limit`
)

// KeepRecheck implements storage.UpstreamStore.
func (s *Federation) KeepRecheck(ctx context.Context, recheck storage.UpstreamRecheck) error {
	query := keepRecheck
	if recheck.Token == nil {
		query = noteRecheck
	}
	_, err := s.db.WriteOne(ctx, query, recheck)
	return err
}

// ListRechecks implements storage.UpstreamStore.
func (s *Federation) ListRechecks(ctx context.Context, upstreamID, userID string) ([]storage.UpstreamRecheck, error) {
	return engine.All[storage.UpstreamRecheck](ctx, s.db, selectRechecks,
		engine.Args{"upstream_id": upstreamID, "user_id": userID})
}

// ListDueRechecks implements storage.UpstreamStore.
func (s *Federation) ListDueRechecks(ctx context.Context, due storage.RecheckDue,
	limit int) ([]storage.UpstreamRecheck, error) {
	return engine.All[storage.UpstreamRecheck](ctx, s.db, selectDueRechecks,
		engine.Args{"upstream_id": due.UpstreamID, "asked_before": due.AskedBefore, "asked_after": due.AskedAfter,
			"told_before": due.ToldBefore, "whenever": due.ToldBefore.IsZero(), "now": due.Now, "limit": limit})
}

// ClaimRecheck implements storage.UpstreamStore.
func (s *Federation) ClaimRecheck(ctx context.Context, recheck storage.UpstreamRecheck, now time.Time) (bool, error) {
	n, err := s.db.WriteOne(ctx, claimRecheck, engine.Args{"upstream_id": recheck.UpstreamID, "issuer": recheck.Issuer,
		"subject": recheck.Subject, "asked_at": recheck.AskedAt, "now": now})
	return n > 0, err
}

// EndRechecked implements storage.UpstreamStore.
func (s *Federation) EndRechecked(ctx context.Context, act storage.Act, recheck storage.UpstreamRecheck) error {
	identity := storage.UpstreamIdentity{UpstreamID: recheck.UpstreamID, Issuer: recheck.Issuer, Subject: recheck.Subject,
		UserID: recheck.UserID}
	since := fault.New(fault.Conflict, storage.ReasonToldSince, "The upstream has said otherwise since.")
	return s.leave(ctx, act, "user.identity_ended", endIdentity, identity, func(ctx context.Context, t tx) error {
		if err := t.ExecOne(ctx, since, spendRecheck, recheck); err != nil {
			return err
		}
		_, err := t.Exec(ctx, deleteRechecks, keyOf(identity))
		return err
	})
}
