package sqlstore

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

type grantRow struct {
	ID         string  `db:"id"`
	ClientID   string  `db:"client_id"`
	UserID     string  `db:"user_id"`
	SessionID  string  `db:"session_id"`
	Scopes     list    `db:"scopes"`
	Nonce      string  `db:"nonce"`
	Claims     string  `db:"claims"`
	AuthTime   instant `db:"auth_time"`
	ACR        string  `db:"acr"`
	AMR        list    `db:"amr"`
	CreatedAt  instant `db:"created_at"`
	Generation int     `db:"generation"`
	RotatedAt  instant `db:"rotated_at"`
	ExpiresAt  instant `db:"expires_at"`
	EndsAt     instant `db:"ends_at"`
	RevokedAt  instant `db:"revoked_at"`
}

const (
	grantColumns = `id, client_id, user_id, session_id, scopes, nonce, claims, auth_time, acr, amr,
	created_at, generation, rotated_at, expires_at, ends_at, revoked_at`

	insertGrant = `
INSERT INTO grants (` + grantColumns + `)
VALUES (:id, :client_id, :user_id, :session_id, :scopes, :nonce, :claims, :auth_time, :acr, :amr,
	:created_at, :generation, :rotated_at, :expires_at, :ends_at, :revoked_at)
ON CONFLICT DO NOTHING`

	selectGrant = `
SELECT ` + grantColumns + `
FROM grants WHERE id = :id`

	// A grant without a refresh token is live until it is revoked.
	selectLiveGrants = `
SELECT ` + grantColumns + `
FROM grants
WHERE user_id = :user_id AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)
ORDER BY created_at DESC, id`

	revokeGrant = `
UPDATE grants SET revoked_at = :at WHERE id = :id AND revoked_at IS NULL`

	revokeUserGrants = `
UPDATE grants SET revoked_at = :at WHERE user_id = :user_id AND revoked_at IS NULL`

	revokeClientGrants = `
UPDATE grants SET revoked_at = :at WHERE client_id = :client_id AND revoked_at IS NULL`

	revokePairGrants = `
UPDATE grants SET revoked_at = :at WHERE user_id = :user_id AND client_id = :client_id AND revoked_at IS NULL`
)

// grantsRevoked is the field of audit details with the number of grants that an
// act took along.
const grantsRevoked = "grants_revoked"

func newGrantRow(g storage.Grant) grantRow {
	return grantRow{
		ID: g.ID, ClientID: g.ClientID, UserID: g.UserID, SessionID: g.SessionID, Scopes: g.Scopes,
		Nonce: g.Nonce, Claims: g.Claims, AuthTime: at(g.AuthTime), ACR: g.ACR, AMR: g.AMR, CreatedAt: at(g.CreatedAt),
		Generation: g.Generation, RotatedAt: at(g.RotatedAt), ExpiresAt: at(g.ExpiresAt), EndsAt: at(g.EndsAt), RevokedAt: at(g.RevokedAt),
	}
}

func (r grantRow) record() storage.Grant {
	return storage.Grant{
		ID: r.ID, ClientID: r.ClientID, UserID: r.UserID, SessionID: r.SessionID, Scopes: r.Scopes,
		Nonce: r.Nonce, Claims: r.Claims, AuthTime: r.AuthTime.Time, ACR: r.ACR, AMR: r.AMR, CreatedAt: r.CreatedAt.Time,
		Generation: r.Generation, RotatedAt: r.RotatedAt.Time, ExpiresAt: r.ExpiresAt.Time, EndsAt: r.EndsAt.Time, RevokedAt: r.RevokedAt.Time,
	}
}

func (t tx) insertGrant(ctx context.Context, grant storage.Grant) error {
	taken := fault.New(fault.Conflict, "", "There is a grant with this id already.")
	return t.execOne(ctx, taken, insertGrant, newGrantRow(grant))
}

// FindGrant implements storage.GrantStore.
func (s *Store) FindGrant(ctx context.Context, id string) (storage.Grant, error) {
	var row grantRow
	err := s.reader.get(ctx, &row, selectGrant, args{"id": id})
	return row.record(), orAbsent(err, "grant")
}

// ListGrants implements storage.GrantStore.
func (s *Store) ListGrants(ctx context.Context, userID string, now time.Time) ([]storage.Grant, error) {
	var rows []grantRow
	err := s.reader.list(ctx, &rows, selectLiveGrants, args{"user_id": userID, "now": at(now)})
	return records(rows, grantRow.record), asFault(err)
}

// RevokeGrant implements storage.GrantStore.
func (s *Store) RevokeGrant(ctx context.Context, act storage.Act, id string) error {
	return s.write(ctx, func(tx tx) error { return tx.revokeAudited(ctx, act, "grant.revoked", id) })
}

// revokeAudited revokes one grant and writes the event, unless there is nothing
// to revoke any more.
func (t tx) revokeAudited(ctx context.Context, act storage.Act, kind, id string) error {
	n, err := t.exec(ctx, revokeGrant, args{"id": id, "at": at(act.At)})
	if err != nil || n == 0 {
		return err
	}
	return t.audit(ctx, act, kind, id, nil)
}

// revokeGrants revokes codes and grants, in this order as redemption goes, and
// returns what is worth auditing.
func (t tx) revokeGrants(ctx context.Context, grants, codes string, arg args) (detail, error) {
	if _, err := t.exec(ctx, codes, arg); err != nil {
		return nil, err
	}
	n, err := t.exec(ctx, grants, arg)
	return detail{grantsRevoked: n}, err
}
