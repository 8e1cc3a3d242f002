package identity

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	// As lockCodeParties, for a grant.
	lockGrantParties = `
SELECT u.id FROM grants g
JOIN users u ON u.id = g.user_id
JOIN clients c ON c.id = g.client_id
WHERE g.id = :id AND NOT u.disabled AND NOT c.disabled AND ` + MayUse + `
FOR SHARE OF u, c`

	// The parties are looked at as lockGrantParties does, and locked before the grant.
	advanceGrant = `
WITH parties AS MATERIALIZED (SELECT 1 FROM grants g
	JOIN users u ON u.id = g.user_id
	JOIN clients c ON c.id = g.client_id
	WHERE g.id = :id AND NOT u.disabled AND NOT c.disabled AND ` + MayUse + `
	{sharing u and c})
UPDATE grants SET generation = :successor, rotated_at = :at,
	proof_key = CASE WHEN proof_key = '' THEN cast(:proof_key AS text) ELSE proof_key END,
	certificate = CASE WHEN certificate = '' THEN cast(:certificate AS text) ELSE certificate END,
	expires_at = CASE WHEN ends_at < :until THEN ends_at ELSE cast(:until AS bigint) END
WHERE id = :id AND generation = :generation AND revoked_at IS NULL AND expires_at > :at
	AND EXISTS (SELECT 1 FROM parties)`

	lockGrant = selectGrant + `
FOR UPDATE`

	catchUpGrant = `
UPDATE grants SET generation = :generation WHERE id = :id`
)

// RotateRefresh implements storage.GrantStore. What is in order takes one statement. Who
// sees it before it is on the disk, and a power cut takes it back, is ahead then.
func (s *Identity) RotateRefresh(ctx context.Context, act storage.Act, use storage.RefreshUse) (int, error) {
	moved, err := s.db.WriteTogether(ctx, advanceGrant, advancing(act, use))
	if err != nil {
		return 0, err
	}
	if moved > 0 {
		return use.Successor(), nil
	}
	return rotateOrRefuse(ctx, s, act, use)
}

func advancing(act storage.Act, use storage.RefreshUse) engine.Args {
	return engine.Args{
		"id": use.GrantID, "generation": use.Generation, "successor": use.Successor(),
		"at": act.At, "until": act.At.Add(use.Lifetime), "proof_key": use.ProofKey, "certificate": use.Certificate,
	}
}

// rotateOrRefuse judges a token that did not move its grant on a moment ago. A refusal is
// a verdict beside the transaction: what reuse revokes must be kept.
func rotateOrRefuse(ctx context.Context, s *Identity, act storage.Act, use storage.RefreshUse) (int, error) {
	var live int
	var refusal *fault.Error
	err := s.write(ctx, func(tx Tx) error {
		refusal = nil
		var enabled []string
		if err := tx.List(ctx, &enabled, lockGrantParties, engine.Args{"id": use.GrantID}); err != nil {
			return err
		}
		if len(enabled) > 0 {
			live = use.Successor()
			moved, err := tx.Exec(ctx, advanceGrant, advancing(act, use))
			if err != nil || moved > 0 {
				return err
			}
		}
		var err error
		live, refusal, err = tx.judgeRefresh(ctx, act, use, len(enabled) > 0)
		return err
	})
	if err != nil {
		return 0, err
	}
	if refusal != nil {
		return 0, refusal
	}
	return live, nil
}

// judgeRefresh decides about a token that did not move its grant on: an honest
// retry gets the live generation, anything else a refusal, and reuse revokes.
func (t Tx) judgeRefresh(ctx context.Context, act storage.Act, use storage.RefreshUse,
	enabled bool) (int, *fault.Error, error) {
	var rows []storage.Grant
	if err := t.List(ctx, &rows, lockGrant, engine.Args{"id": use.GrantID}); err != nil {
		return 0, nil, err
	}
	if len(rows) == 0 {
		return 0, engine.Absent("grant"), nil
	}
	switch grant := rows[0]; judge(grant, use, act.At, enabled) {
	case "":
		return grant.Generation, nil, nil
	case reasonAhead:
		return use.Successor(), nil, t.catchUp(ctx, act, use)
	case storage.ReasonRevoked:
		return 0, fault.New(fault.Gone, storage.ReasonRevoked, "The authorization was withdrawn."), nil
	case storage.ReasonExpired:
		return 0, fault.New(fault.Gone, storage.ReasonExpired, "The refresh token has expired."), nil
	}
	return 0, fault.New(fault.Gone, storage.ReasonSpent, "The refresh token was used before."),
		t.revokeAudited(ctx, act, "grant.reuse_detected", use.GrantID)
}

// reasonAhead is that of a token which is newer than all that the grant knows of.
const reasonAhead = "ahead"

// catchUp moves a grant on to behind a token that it knows nothing of, although
// we issued it, which its caller has proven: the database was restored, or one
// that had not heard of the newest took over.
func (t Tx) catchUp(ctx context.Context, act storage.Act, use storage.RefreshUse) error {
	if _, err := t.Exec(ctx, catchUpGrant, engine.Args{"id": use.GrantID, "generation": use.Generation}); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, advanceGrant, advancing(act, use)); err != nil {
		return err
	}
	return t.Audit(ctx, act, "grant.caught_up", use.GrantID, engine.Detail{"presented": use.Generation})
}

// judge returns the reason to refuse a token that did not move the grant on, or
// reasonAhead, or "" for an honest retry (decision T4): the token before the live one, while
// the live one is unused and young, by who is not bound to another key than the live one is.
func judge(grant storage.Grant, use storage.RefreshUse, now time.Time, enabled bool) string {
	if !enabled || !grant.RevokedAt.IsZero() {
		return storage.ReasonRevoked
	}
	live := use.Generation == grant.Generation
	same := (grant.ProofKey == "" || grant.ProofKey == use.ProofKey) &&
		(grant.Certificate == "" || grant.Certificate == use.Certificate)
	retry := same && use.Generation+1 == grant.Generation && use.Generation > 0 &&
		use.Grace > 0 && now.Sub(grant.RotatedAt).Abs() <= use.Grace // the other server's clock may be a little ahead
	ahead := use.Generation > grant.Generation && grant.Generation > 0
	if !live && !retry && !ahead {
		return storage.ReasonSpent
	}
	if !grant.ExpiresAt.After(now) { // always so for the live token, which would have moved it on
		return storage.ReasonExpired
	}
	if ahead {
		return reasonAhead
	}
	return ""
}
