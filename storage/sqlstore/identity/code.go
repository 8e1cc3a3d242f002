package identity

import (
	"context"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	codeColumns = `hash, grant_id, client_id, user_id, session_id, redirect_uri, scopes, narrowed, resources, nonce, challenge,
	proof_key, claims, auth_time, acr, amr, issued_at, expires_at, spent_at, verifier_failures, upstream_id, device`

	// Whoever signs a user out everywhere, or takes a consent of theirs back,
	// locks the user's row first: a code is there before that, or not at all.
	shareUser = `
SELECT id FROM users WHERE id = :id
FOR SHARE`

	selectOwnSession = `
SELECT id FROM login_sessions WHERE id = :session_id AND user_id = :user_id`

	selectCode = `
SELECT ` + codeColumns + `
FROM authorize_codes WHERE hash = :hash`

	// Who disables or deletes user or client waits for the redemption, or the
	// redemption for them: a grant can't slip through between.
	lockCodeParties = `
SELECT u.id FROM authorize_codes k
JOIN users u ON u.id = k.user_id
JOIN clients c ON c.id = k.client_id
WHERE k.hash = :hash AND NOT u.disabled AND NOT c.disabled AND ` + MayUse + `
FOR SHARE OF u, c`

	spendCode = `
UPDATE authorize_codes SET spent_at = :at
WHERE hash = :hash AND spent_at IS NULL AND revoked_at IS NULL AND expires_at > :at`

	failVerifier = `
UPDATE authorize_codes SET verifier_failures = verifier_failures + 1,
	spent_at = CASE WHEN verifier_failures + 1 >= :most THEN cast(:at AS bigint) END
WHERE hash = :hash AND spent_at IS NULL
RETURNING grant_id, verifier_failures`
)

var insertCode = engine.Insert("authorize_codes", codeColumns) + `
ON CONFLICT DO NOTHING`

// IssueCode implements storage.GrantStore.
func (s *Identity) IssueCode(ctx context.Context, code storage.AuthorizeCode, consented []string,
	loginRequest string) error {
	return s.write(ctx, func(tx Tx) error {
		if err := tx.useUp(ctx, loginRequest, code.IssuedAt); err != nil {
			return err
		}
		if err := tx.groundsOf(ctx, code, consented); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, insertCode, code)
		if err == nil && n == 0 {
			return fault.New(fault.Conflict, "", "There is this authorization code already.")
		}
		return err
	})
}

// useUp makes the login request one that a code answered; empty: there is none.
func (t Tx) useUp(ctx context.Context, loginRequest string, at time.Time) error {
	if loginRequest == "" {
		return nil
	}
	over := fault.New(fault.Gone, storage.ReasonRequestOver, "The login request was answered already.")
	return t.ExecOne(ctx, over, answerLoginRequest, answering(loginRequest, at))
}

// groundsOf makes sure that the session and the consent stand, and go on to
// stand until the code is kept.
func (t Tx) groundsOf(ctx context.Context, code storage.AuthorizeCode, consented []string) error {
	if _, err := t.Lock(ctx, shareUser, code.UserID); err != nil {
		return err
	}
	var session []string
	if err := t.List(ctx, &session, selectOwnSession, code); err != nil {
		return err
	}
	if len(session) == 0 {
		return fault.New(fault.Gone, storage.ReasonSessionOver, "The person has been signed out meanwhile.")
	}
	if len(consented) == 0 {
		return nil
	}
	var consents []storage.Consent
	if err := t.List(ctx, &consents, selectConsent, code); err != nil {
		return err
	}
	for _, scope := range consented {
		if len(consents) == 0 || !slices.Contains(consents[0].Scopes, scope) {
			return fault.New(fault.Gone, storage.ReasonConsentWithdrawn, "The person has taken their consent back meanwhile.")
		}
	}
	return nil
}

// FindCode implements storage.GrantStore.
func (s *Identity) FindCode(ctx context.Context, hash []byte) (storage.AuthorizeCode, error) {
	return engine.Find[storage.AuthorizeCode](ctx, s.db, "authorization code", selectCode, engine.Args{"hash": hash})
}

// RedeemCode implements storage.GrantStore. A refusal is a verdict beside the
// transaction, not an error of it: what reuse revokes must be kept.
func (s *Identity) RedeemCode(ctx context.Context, act storage.Act, hash []byte, grant storage.Grant) error {
	var refusal *fault.Error
	err := s.write(ctx, func(tx Tx) error {
		refusal = nil
		spent, err := tx.spend(ctx, act, hash)
		if err != nil {
			return err
		}
		if !spent {
			refusal, err = tx.refuseCode(ctx, act, hash)
			return err
		}
		return tx.InsertGrant(ctx, grant)
	})
	if err == nil && refusal != nil {
		return refusal
	}
	return err
}

// spend marks the code as used, and reports whether that was for the caller to
// do.
func (t Tx) spend(ctx context.Context, act storage.Act, hash []byte) (bool, error) {
	var enabled []string
	if err := t.List(ctx, &enabled, lockCodeParties, engine.Args{"hash": hash}); err != nil || len(enabled) == 0 {
		return false, err
	}
	n, err := t.Exec(ctx, spendCode, engine.Args{"hash": hash, "at": act.At})
	return n > 0, err
}

// refuseCode says why a code can't be redeemed. A second use revokes what the
// first has led to (RFC 9700 section 4.5, RFC 6749 section 4.1.2).
func (t Tx) refuseCode(ctx context.Context, act storage.Act, hash []byte) (*fault.Error, error) {
	var rows []storage.AuthorizeCode
	if err := t.List(ctx, &rows, selectCode, engine.Args{"hash": hash}); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return engine.Absent("authorization code"), nil
	}
	code := rows[0]
	spent := fault.New(fault.Gone, storage.ReasonSpent, "The authorization code was used before.")
	if !code.SpentAt.IsZero() && code.RedirectURI == "" {
		return spent, nil // a device's
	}
	if !code.SpentAt.IsZero() {
		return spent, t.revokeAudited(ctx, act, "code.reuse_detected", code.GrantID)
	}
	if !code.ExpiresAt.After(act.At) {
		return fault.New(fault.Gone, storage.ReasonExpired, "The authorization code has expired."), nil
	}
	return fault.New(fault.Gone, storage.ReasonRevoked, "The authorization was withdrawn."), nil
}

// FailVerifier implements storage.GrantStore.
func (s *Identity) FailVerifier(ctx context.Context, act storage.Act, hash []byte) error {
	return s.write(ctx, func(tx Tx) error {
		var rows []storage.AuthorizeCode
		err := tx.List(ctx, &rows, failVerifier, engine.Args{
			"hash": hash, "at": act.At, "most": storage.MaxVerifierFailures,
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		return tx.Audit(ctx, act, "code.verifier_failed", rows[0].GrantID,
			engine.Detail{"failures": rows[0].VerifierFailures})
	})
}
