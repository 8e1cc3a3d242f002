package identity

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type sessionRow struct {
	ID         string         `db:"id"`
	TokenHash  []byte         `db:"token_hash"`
	UserID     string         `db:"user_id"`
	AuthTime   engine.Instant `db:"auth_time"`
	ACR        string         `db:"acr"`
	AMR        engine.List    `db:"amr"`
	CreatedAt  engine.Instant `db:"created_at"`
	LastSeenAt engine.Instant `db:"last_seen_at"`
	ExpiresAt  engine.Instant `db:"expires_at"`
	Address    string         `db:"address"`
	UserAgent  string         `db:"user_agent"`
	MetRequest string         `db:"met_request"`
}

const (
	sessionColumns = `s.id, s.token_hash, s.user_id, s.auth_time, s.acr, s.amr, s.created_at,
	s.last_seen_at, s.expires_at, s.address, s.user_agent, s.met_request`

	insertSession = `
INSERT INTO login_sessions (id, token_hash, user_id, auth_time, acr, amr, created_at, last_seen_at,
	expires_at, address, user_agent, met_request)
VALUES (:id, :token_hash, :user_id, :auth_time, :acr, :amr, :created_at, :last_seen_at,
	:expires_at, :address, :user_agent, :met_request)`

	renewSession = `
UPDATE login_sessions SET token_hash = :token_hash, auth_time = :auth_time, acr = :acr, amr = :amr,
	last_seen_at = :last_seen_at, expires_at = :expires_at, address = :address, user_agent = :user_agent,
	met_request = :met_request
WHERE id = :id AND user_id = :user_id AND expires_at > :now`

	updateLastSignIn = `
UPDATE users SET last_sign_in_at = :at WHERE id = :id AND NOT disabled`

	selectSession = `
SELECT ` + sessionColumns + `,
	u.id AS "user.id", u.email AS "user.email", u.email_verified AS "user.email_verified",
	u.username AS "user.username", u.admin AS "user.admin", u.disabled AS "user.disabled",
	u.two_factor AS "user.two_factor", u.profile AS "user.profile", u.created_at AS "user.created_at",
	u.updated_at AS "user.updated_at", u.last_sign_in_at AS "user.last_sign_in_at"
FROM login_sessions s JOIN users u ON u.id = s.user_id
WHERE s.token_hash = :token_hash AND s.expires_at > :now AND s.last_seen_at >= :idle_since AND NOT u.disabled`

	selectSessions = `
SELECT ` + sessionColumns + `
FROM login_sessions s
WHERE s.user_id = :user_id AND s.expires_at > :now AND s.last_seen_at >= :idle_since
ORDER BY s.auth_time DESC, s.id`

	touchSession = `
UPDATE login_sessions SET last_seen_at = :at WHERE id = :id AND last_seen_at < :at`

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

func newSessionRow(s storage.LoginSession) sessionRow {
	return sessionRow{
		ID: s.ID, TokenHash: s.TokenHash, UserID: s.UserID, AuthTime: engine.At(s.AuthTime), ACR: s.ACR, AMR: s.AMR,
		CreatedAt: engine.At(s.CreatedAt), LastSeenAt: engine.At(s.LastSeenAt), ExpiresAt: engine.At(s.ExpiresAt),
		Address: s.Address, UserAgent: s.UserAgent, MetRequest: s.MetRequest,
	}
}

func (r sessionRow) record() storage.LoginSession {
	return storage.LoginSession{
		ID: r.ID, TokenHash: r.TokenHash, UserID: r.UserID, AuthTime: r.AuthTime.Time, ACR: r.ACR, AMR: r.AMR,
		CreatedAt: r.CreatedAt.Time, LastSeenAt: r.LastSeenAt.Time, ExpiresAt: r.ExpiresAt.Time,
		Address: r.Address, UserAgent: r.UserAgent, MetRequest: r.MetRequest,
	}
}

// StartSession implements storage.LoginStore. Updating the user first keeps
// others from disabling them halfway.
func (s *Identity) StartSession(ctx context.Context, act storage.Act, session storage.LoginSession) error {
	return s.write(ctx, func(tx Tx) error {
		err := tx.ExecOne(ctx, engine.Absent("user who can sign in"), updateLastSignIn, engine.Args{"id": session.UserID, "at": engine.At(act.At)})
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertSession, newSessionRow(session)); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user.signed_in", session.UserID, engine.Detail{"session_id": session.ID, "amr": session.AMR})
	})
}

// RenewSession implements storage.LoginStore. The user comes first, as in
// StartSession.
func (s *Identity) RenewSession(ctx context.Context, act storage.Act, session storage.LoginSession) error {
	row := struct {
		sessionRow
		Now engine.Instant `db:"now"`
	}{newSessionRow(session), engine.At(act.At)}
	return s.write(ctx, func(tx Tx) error {
		err := tx.ExecOne(ctx, engine.Absent("user who can sign in"), updateLastSignIn, engine.Args{"id": session.UserID, "at": engine.At(act.At)})
		if err != nil {
			return err
		}
		if err := tx.ExecOne(ctx, engine.Absent("session"), renewSession, row); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user.signed_in", session.UserID, engine.Detail{"session_id": session.ID, "amr": session.AMR})
	})
}

// FindSession implements storage.LoginStore.
func (s *Identity) FindSession(ctx context.Context, tokenHash []byte, now, idleSince time.Time) (storage.LoginSession, storage.User, error) {
	var row struct {
		sessionRow
		User userRow `db:"user"`
	}
	err := s.db.Get(ctx, &row, selectSession, engine.Args{
		"token_hash": tokenHash, "now": engine.At(now), "idle_since": engine.At(idleSince),
	})
	return row.sessionRow.record(), row.User.record(), engine.OrAbsent(err, "session")
}

// TouchSession implements storage.LoginStore.
func (s *Identity) TouchSession(ctx context.Context, id string, when time.Time) error {
	_, err := s.db.WriteOne(ctx, touchSession, engine.Args{"id": id, "at": engine.At(when)})
	return err
}

// ListSessions implements storage.LoginStore.
func (s *Identity) ListSessions(ctx context.Context, userID string, now, idleSince time.Time) ([]storage.LoginSession, error) {
	var rows []sessionRow
	err := s.db.List(ctx, &rows, selectSessions, engine.Args{
		"user_id": userID, "now": engine.At(now), "idle_since": engine.At(idleSince),
	})
	return engine.Records(rows, sessionRow.record), engine.AsFault(err)
}

// EndSession implements storage.LoginStore. Of several who end a session at
// once, the lock lets one see it.
func (s *Identity) EndSession(ctx context.Context, act storage.Act, id string) error {
	return s.write(ctx, func(tx Tx) error {
		if found, err := tx.Lock(ctx, lockSession, id); err != nil || !found {
			return err
		}
		if _, err := tx.Exec(ctx, tellOfSession, engine.Args{"id": id, "at": engine.At(act.At)}); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteSession, engine.Args{"id": id}); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "session.ended", id, nil)
	})
}

// EndSessions implements storage.LoginStore.
func (s *Identity) EndSessions(ctx context.Context, act storage.Act, userID, except string) error {
	return s.write(ctx, func(tx Tx) error {
		if found, err := tx.Lock(ctx, lockUser, userID); err != nil || !found {
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
	arg := engine.Args{"user_id": userID, "except": except, "at": engine.At(act.At)}
	var ids []string
	if err := t.List(ctx, &ids, lockUserSessions, arg); err != nil || len(ids) == 0 {
		return 0, err
	}
	if _, err := t.Exec(ctx, tellOfUserSessions, arg); err != nil {
		return 0, err
	}
	return t.Exec(ctx, deleteUserSessions, arg)
}
