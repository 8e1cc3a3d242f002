package identity

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	revokeUserCodes = `
UPDATE authorize_codes SET revoked_at = :at
WHERE user_id = :user_id AND spent_at IS NULL AND revoked_at IS NULL`

	revokeClientCodes = `
UPDATE authorize_codes SET revoked_at = :at
WHERE client_id = :client_id AND spent_at IS NULL AND revoked_at IS NULL`

	revokePairCodes = `
UPDATE authorize_codes SET revoked_at = :at
WHERE user_id = :user_id AND client_id = :client_id AND spent_at IS NULL AND revoked_at IS NULL`

	grantColumns = `id, client_id, user_id, session_id, scopes, resources, nonce, claims, auth_time, acr, amr,
	proof_key, certificate, created_at, generation, rotated_at, expires_at, ends_at, revoked_at, upstream_id, device`

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

var insertGrant = engine.Insert("grants", grantColumns) + `
ON CONFLICT DO NOTHING`

// grantsRevoked is the field of audit details with the number of grants that an
// act took along.
const grantsRevoked = "grants_revoked"

// InsertGrant adds a grant, whatever it rests on. Conflict.
func (t Tx) InsertGrant(ctx context.Context, grant storage.Grant) error {
	taken := fault.New(fault.Conflict, "", "There is a grant with this id already.")
	return t.ExecOne(ctx, taken, insertGrant, grant)
}

// FindGrant implements storage.GrantStore.
func (s *Identity) FindGrant(ctx context.Context, id string) (storage.Grant, error) {
	return engine.Find[storage.Grant](ctx, s.db, "grant", selectGrant, engine.Args{"id": id})
}

// ListGrants implements storage.GrantStore.
func (s *Identity) ListGrants(ctx context.Context, userID string, now time.Time) ([]storage.Grant, error) {
	return engine.All[storage.Grant](ctx, s.db, selectLiveGrants, engine.Args{"user_id": userID, "now": now})
}

// RevokeGrant implements storage.GrantStore.
func (s *Identity) RevokeGrant(ctx context.Context, act storage.Act, id string) error {
	return s.write(ctx, func(tx Tx) error { return tx.revokeAudited(ctx, act, "grant.revoked", id) })
}

// revokeAudited revokes one grant and writes the event, unless there is nothing
// to revoke any more.
func (t Tx) revokeAudited(ctx context.Context, act storage.Act, kind, id string) error {
	n, err := t.Exec(ctx, revokeGrant, engine.Args{"id": id, "at": act.At})
	if err != nil || n == 0 {
		return err
	}
	return t.Audit(ctx, act, kind, id, nil)
}

// revokeGrants revokes codes and grants, in this order as redemption goes, and
// returns what is worth auditing.
func (t Tx) revokeGrants(ctx context.Context, grants, codes string, arg engine.Args) (engine.Detail, error) {
	if _, err := t.Exec(ctx, codes, arg); err != nil {
		return nil, err
	}
	n, err := t.Exec(ctx, grants, arg)
	return engine.Detail{grantsRevoked: n}, err
}

// RevokeClientGrants is revokeGrants for all of a client.
func (t Tx) RevokeClientGrants(ctx context.Context, act storage.Act, clientID string) (engine.Detail, error) {
	return t.revokeGrants(ctx, revokeClientGrants, revokeClientCodes, engine.Args{"client_id": clientID, "at": act.At})
}
