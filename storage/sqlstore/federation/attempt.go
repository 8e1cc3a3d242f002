package federation

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const spendAttempt = `
DELETE FROM upstream_attempts
WHERE state_hash = :state_hash AND upstream_id = :upstream_id AND browser = :browser AND expires_at > :now
RETURNING state_hash, upstream_id, browser, user_id, session_id, request, next AS "then", expires_at`

var insertAttempt = engine.Insert("upstream_attempts",
	"state_hash, upstream_id, browser, user_id, session_id, request, next=then, expires_at")

// BeginAttempt implements storage.UpstreamStore.
func (s *Federation) BeginAttempt(ctx context.Context, attempt storage.UpstreamAttempt) error {
	return s.write(ctx, func(t tx) error {
		if err := t.ShareUpstream(ctx, attempt.UpstreamID); err != nil {
			return err
		}
		_, err := t.Exec(ctx, insertAttempt, attempt)
		return err
	})
}

// SpendAttempt implements storage.UpstreamStore.
func (s *Federation) SpendAttempt(ctx context.Context, upstreamID string, stateHash, browser []byte,
	now time.Time) (attempt storage.UpstreamAttempt, err error) {
	err = s.write(ctx, func(t tx) error {
		err := t.Get(ctx, &attempt, spendAttempt, engine.Args{"state_hash": stateHash, "upstream_id": upstreamID,
			"browser": browser, "now": now})
		return engine.OrAbsent(err, "attempt")
	})
	return attempt, err
}
