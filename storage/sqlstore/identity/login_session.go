package identity

import (
	"bytes"
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	sessionColumns = `id, token_hash, user_id, created_at, ` + renewedColumns

	// What is other when somebody signs in again.
	renewedColumns = `auth_time, acr, amr, last_seen_at, expires_at, address, user_agent, met_request,
	upstream_id, upstream_sid, came_at`

	updateLastSignIn = `
UPDATE users SET last_sign_in_at = :at WHERE id = :id AND NOT disabled
RETURNING password_hash, two_factor`

	selectHashOfEnabled = `
SELECT password_hash FROM users WHERE id = :id AND NOT disabled`

	selectSessions = `
SELECT ` + sessionColumns + `
FROM login_sessions
WHERE user_id = :user_id AND expires_at > :now AND last_seen_at >= :idle_since
ORDER BY auth_time DESC, id`

	touchSession = `
UPDATE login_sessions SET last_seen_at = :at WHERE id = :id AND (last_seen_at < :at OR last_seen_at > :ahead)`

	selectSessionUser = `
SELECT user_id FROM login_sessions WHERE id = :id`

	lockSession = `
SELECT id FROM login_sessions WHERE id = :id
FOR UPDATE`

	lockUserSessions = `
SELECT id FROM login_sessions WHERE user_id = :user_id AND id <> :except ORDER BY id
FOR UPDATE`

	deleteSession = `
DELETE FROM login_sessions WHERE id = :id`

	deleteUserSessions = `
DELETE FROM login_sessions WHERE user_id = :user_id AND id <> :except`
)

var (
	insertSession = engine.Insert("login_sessions", sessionColumns)

	renewSession = `
UPDATE login_sessions SET token_hash = :token_hash, ` + engine.Assign(renewedColumns) + `
WHERE id = :id AND user_id = :user_id AND expires_at > :now`

	selectSession = `
SELECT ` + engine.InTable("s", sessionColumns) + `, ` + engine.Prefixed("u", "user", userColumns) + `
FROM login_sessions s JOIN users u ON u.id = s.user_id
WHERE s.token_hash = :token_hash AND s.expires_at > :now AND s.last_seen_at >= :idle_since AND NOT u.disabled`
)

// StartSession implements storage.LoginStore.
func (s *Identity) StartSession(ctx context.Context, act storage.Act, session storage.LoginSession,
	proof storage.Proof) error {
	return s.write(ctx, func(tx Tx) error {
		if err := tx.signIn(ctx, act, session.UserID, proof); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertSession, session); err != nil {
			return err
		}
		if err := tx.keepHint(ctx, session.ID, proof.UpstreamHint); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user.signed_in", session.UserID,
			engine.Detail{"session_id": session.ID, "amr": session.AMR})
	})
}

// signIn notes that the user signs in, while the proof still stands. Updating the
// user first keeps others from changing any of it halfway.
func (t Tx) signIn(ctx context.Context, act storage.Act, userID string, proof storage.Proof) error {
	var now struct {
		PasswordHash string
		TwoFactor    bool
	}
	if err := t.ShareUpstream(ctx, proof.Upstream.UpstreamID); err != nil {
		return err
	}
	err := t.Get(ctx, &now, updateLastSignIn, engine.Args{"id": userID, "at": act.At})
	if err != nil {
		return engine.OrAbsent(err, "user who can sign in")
	}
	if proof.TwoFactor != now.TwoFactor {
		return signInOver()
	}
	if err := t.stands(ctx, userID, proof, now.PasswordHash); err != nil {
		return err
	}
	return t.spendRecoveryCode(ctx, act, userID, proof.Recovery)
}

// stands is Gone when what the proof rests on is not as it was.
func (t Tx) stands(ctx context.Context, userID string, proof storage.Proof, passwordHash string) error {
	if err := t.identityStands(ctx, userID, proof.Upstream); err != nil {
		return err
	}
	gone, err := t.passkeyGone(ctx, userID, proof.Passkey)
	if err != nil {
		return err
	}
	if gone || proof.Password != nil && !bytes.Equal(proof.Password, storage.PasswordDigest(passwordHash)) {
		return signInOver()
	}
	return nil
}

func signInOver() error {
	return fault.New(fault.Gone, storage.ReasonSignInOver, "What the sign-in rests on has changed.")
}

// RenewSession implements storage.LoginStore.
func (s *Identity) RenewSession(ctx context.Context, act storage.Act, session storage.LoginSession,
	proof storage.Proof) error {
	row := struct {
		storage.LoginSession
		Now time.Time
	}{session, act.At}
	return s.write(ctx, func(tx Tx) error {
		if err := tx.signIn(ctx, act, session.UserID, proof); err != nil {
			return err
		}
		if err := tx.ExecOne(ctx, engine.Absent("session"), renewSession, row); err != nil {
			return err
		}
		if err := tx.renewHint(ctx, session.ID, proof.UpstreamHint); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user.signed_in", session.UserID,
			engine.Detail{"session_id": session.ID, "amr": session.AMR})
	})
}

// FindSession implements storage.LoginStore.
func (s *Identity) FindSession(ctx context.Context, tokenHash []byte, now,
	idleSince time.Time) (storage.LoginSession, storage.User, error) {
	var row struct {
		storage.LoginSession
		User userRow `db:"user"`
	}
	err := s.db.Get(ctx, &row, selectSession, engine.Args{
		"token_hash": tokenHash, "now": now, "idle_since": idleSince,
	})
	return row.LoginSession, row.User.Record(), engine.OrAbsent(err, "session")
}

// TouchSession implements storage.LoginStore.
func (s *Identity) TouchSession(ctx context.Context, id string, when time.Time) error {
	_, err := s.db.WriteOne(ctx, touchSession,
		engine.Args{"id": id, "at": when, "ahead": when.Add(storage.SeenAhead)})
	return err
}

// ListSessions implements storage.LoginStore.
func (s *Identity) ListSessions(ctx context.Context, userID string, now,
	idleSince time.Time) ([]storage.LoginSession, error) {
	return engine.All[storage.LoginSession](ctx, s.db, selectSessions, engine.Args{
		"user_id": userID, "now": now, "idle_since": idleSince,
	})
}

// EndSession implements storage.LoginStore. Of several who end a session at
// once, the lock lets one see it.
func (s *Identity) EndSession(ctx context.Context, act storage.Act, id string) error {
	return s.write(ctx, func(tx Tx) error {
		if found, err := tx.Lock(ctx, lockSession, id); err != nil || !found {
			return err
		}
		var userID string
		if err := tx.Get(ctx, &userID, selectSessionUser, engine.Args{"id": id}); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, tellOfSession, engine.Args{"id": id, "at": act.At}); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteSession, engine.Args{"id": id}); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "session.ended", userID, engine.Detail{"session_id": id})
	})
}

// EndSessions implements storage.LoginStore.
func (s *Identity) EndSessions(ctx context.Context, act storage.Act, userID, except string) error {
	return end(ctx, s, func(ctx context.Context, tx Tx) error {
		if found, err := tx.Lock(ctx, LockUser, userID); err != nil || !found {
			return err
		}
		more, err := tx.signOutUser(ctx, act, userID, except)
		if err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user.signed_out_everywhere", userID, more)
	})
}

// endSessions ends the sessions of the user, except one, lets their clients
// know, and returns how many they were.
func (t Tx) endSessions(ctx context.Context, act storage.Act, userID, except string) (int64, error) {
	arg := engine.Args{"user_id": userID, "except": except, "at": act.At}
	var ids []string
	if err := t.List(ctx, &ids, lockUserSessions, arg); err != nil || len(ids) == 0 {
		return 0, err
	}
	if _, err := t.Exec(ctx, tellOfUserSessions, arg); err != nil {
		return 0, err
	}
	return t.Exec(ctx, deleteUserSessions, arg)
}
