package identity

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	// Of one person and one session there, or of all.
	ofUpstream = `s.upstream_id = :upstream_id AND (:user_id = '' OR s.user_id = :user_id)
	AND (:sid = '' OR s.upstream_sid = :sid)`

	lockUpstreamUsers = `
SELECT id FROM users WHERE id IN (
	SELECT user_id FROM upstream_identities WHERE upstream_id = :upstream_id AND (:user_id = '' OR user_id = :user_id))
ORDER BY id
FOR NO KEY UPDATE`

	deleteUpstreamSessions = `
DELETE FROM login_sessions AS s WHERE ` + ofUpstream

	revokeUpstreamCodes = `
UPDATE authorize_codes SET revoked_at = :at
WHERE upstream_id = :upstream_id AND (:user_id = '' OR user_id = :user_id) AND spent_at IS NULL AND revoked_at IS NULL`

	revokeUpstreamGrants = `
UPDATE grants SET revoked_at = :at
WHERE upstream_id = :upstream_id AND (:user_id = '' OR user_id = :user_id) AND revoked_at IS NULL`

	// A client to which it vouches has no grants and codes of sign-ins.
	revokeVouchedGrants = `
UPDATE grants SET revoked_at = :at
WHERE upstream_id = :upstream_id AND client_id = :client_id AND revoked_at IS NULL`

	// Whoever disables an upstream comes before a sign-in by it, or finds its session.
	shareUpstream = `
SELECT id FROM upstreams WHERE id = :id AND NOT disabled
FOR SHARE`

	selectStandingIdentity = `
SELECT EXISTS (SELECT 1 FROM upstream_identities
	WHERE upstream_id = :upstream_id AND issuer = :issuer AND subject = :subject AND user_id = :user_id
	AND ended_at IS NULL)`

	selectOtherWayIn = `
SELECT EXISTS (SELECT 1 FROM users WHERE id = :user_id AND password_hash <> '')
	OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = :user_id)
	OR EXISTS (SELECT 1 FROM upstream_identities i JOIN upstreams u ON u.id = i.upstream_id
		WHERE i.user_id = :user_id AND i.upstream_id <> :upstream_id AND i.ended_at IS NULL AND NOT u.disabled)`
)

// KeepsAWayIn is a Conflict when the user, whom the transaction has locked, can sign in no
// more, or by the upstream alone.
func (t Tx) KeepsAWayIn(ctx context.Context, userID, upstreamID string) error {
	other := false
	err := t.Get(ctx, &other, selectOtherWayIn, engine.Args{"user_id": userID, "upstream_id": upstreamID})
	if err == nil && !other {
		return fault.New(fault.Conflict, storage.ReasonLastWayIn,
			"This is the only way to sign in to the account. Set a password or add a passkey first.")
	}
	return err
}

// ShareUpstream makes sure that the upstream is enabled, and stays so until the end
// of the transaction; of none nothing is asked. It comes before locks of people.
func (t Tx) ShareUpstream(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	found, err := t.Lock(ctx, shareUpstream, id)
	if err == nil && !found {
		return fault.New(fault.Gone, storage.ReasonUpstreamDisabled, "This way to sign in is switched off.")
	}
	return err
}

// identityStands is Gone when the identity that a sign-in rests on is the user's no
// more.
func (t Tx) identityStands(ctx context.Context, userID string, identity storage.UpstreamIdentity) error {
	if identity.UpstreamID == "" {
		return nil
	}
	stands := false
	err := t.Get(ctx, &stands, selectStandingIdentity, engine.Args{"upstream_id": identity.UpstreamID,
		"issuer": identity.Issuer, "subject": identity.Subject, "user_id": userID})
	if err == nil && !stands {
		return fault.New(fault.Gone, storage.ReasonSignInOver, "The identity is the person's no more.")
	}
	return err
}

// SignOutUpstream ends what rests on the upstream, of the user or, for none, of
// everybody, and returns what is worth auditing.
func (t Tx) SignOutUpstream(ctx context.Context, act storage.Act, upstreamID, userID string) (engine.Detail, error) {
	ended, err := t.EndUpstreamSessions(ctx, act, upstreamID, userID, "")
	if err != nil {
		return nil, err
	}
	more, err := t.revokeGrants(ctx, revokeUpstreamGrants, revokeUpstreamCodes,
		engine.Args{"upstream_id": upstreamID, "user_id": userID, "at": act.At})
	if err == nil {
		more["sessions_ended"] = ended
	}
	return more, err
}

// RevokeVouched revokes what the upstream has vouched for to the client.
func (t Tx) RevokeVouched(ctx context.Context, act storage.Act, upstreamID, clientID string) error {
	_, err := t.Exec(ctx, revokeVouchedGrants,
		engine.Args{"upstream_id": upstreamID, "client_id": clientID, "at": act.At})
	return err
}

// EndUpstreamSessions ends the sessions alone, or the one that the upstream calls
// sid, and lets their clients know.
func (t Tx) EndUpstreamSessions(ctx context.Context, act storage.Act, upstreamID, userID, sid string) (int64, error) {
	arg := engine.Args{"upstream_id": upstreamID, "user_id": userID, "sid": sid, "at": act.At}
	var ids []string
	if err := t.List(ctx, &ids, lockUpstreamUsers, arg); err != nil || len(ids) == 0 {
		return 0, err
	}
	if _, err := t.Exec(ctx, tellOfUpstreamSessions, arg); err != nil {
		return 0, err
	}
	return t.Exec(ctx, deleteUpstreamSessions, arg)
}

// InsertUser adds the user; Conflict as CreateUser.
func (t Tx) InsertUser(ctx context.Context, act storage.Act, user storage.User, passwordHash string) error {
	row := newUserRow(user)
	row.PasswordHash = passwordHash
	n, err := t.Exec(ctx, insertUser, row)
	if err != nil {
		return err
	}
	if n == 0 {
		return t.takenName(ctx, row, thereAlready())
	}
	return t.Audit(ctx, act, "user.created", user.ID, nil)
}

// LockUser locks a user who is there; NotFound.
func (t Tx) LockUser(ctx context.Context, id string) error {
	return t.MustExist(ctx, "user", LockUser, id)
}
