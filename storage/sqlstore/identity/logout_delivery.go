package identity

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	// Nothing is written for a session that has ended.
	joinSession = `
INSERT INTO session_clients (session_id, client_id)
SELECT s.id, cast(:client_id AS text) FROM login_sessions s WHERE s.id = :session_id
ON CONFLICT DO NOTHING`

	selectSessionID = `
SELECT id FROM login_sessions WHERE id = :id`

	tellOfSessions = `
INSERT INTO logout_deliveries (client_id, user_id, session_id, created_at, attempts, last_status, failure, next_at)
SELECT j.client_id, s.user_id, s.id, cast(:at AS bigint), 0, 0, '', cast(:at AS bigint)
FROM login_sessions s
JOIN session_clients j ON j.session_id = s.id
JOIN clients c ON c.id = j.client_id
WHERE NOT c.disabled AND c.backchannel_logout_uri <> ''`

	tellOfSession = tellOfSessions + ` AND s.id = :id`

	tellOfUserSessions = tellOfSessions + ` AND s.user_id = :user_id AND s.id <> :except`

	tellOfUpstreamSessions = tellOfSessions + ` AND ` + ofUpstream

	deliveryColumns = engine.ProgressColumns + `, d.client_id, c.backchannel_logout_uri AS uri, d.user_id, d.session_id`

	selectDueLogouts = `
SELECT ` + deliveryColumns + `
FROM (SELECT id, client_id, user_id, session_id, created_at, attempts, last_at, last_status, failure, next_at,
	delivered_at, row_number() OVER (PARTITION BY client_id ORDER BY next_at, id) AS place
	FROM logout_deliveries WHERE next_at <= :now) d
JOIN clients c ON c.id = d.client_id
WHERE d.place <= :per_client AND NOT c.disabled AND c.backchannel_logout_uri <> ''
ORDER BY d.next_at, d.id LIMIT :limit`

	recordLogoutAttempt = `
UPDATE logout_deliveries SET attempts = attempts + 1, last_at = :at, last_status = :status, failure = :failure,
	next_at = :next_at, delivered_at = :delivered_at
WHERE id = :id`

	selectLogoutDeliveries = `
SELECT ` + deliveryColumns + `
FROM logout_deliveries d JOIN clients c ON c.id = d.client_id
WHERE d.client_id = :owner AND d.id < :before
ORDER BY d.id DESC LIMIT :limit`
)

// JoinSession implements storage.LogoutDeliveryStore.
func (s *Identity) JoinSession(ctx context.Context, sessionID, clientID string) error {
	return s.write(ctx, func(tx Tx) error {
		n, err := tx.Exec(ctx, joinSession, engine.Args{"session_id": sessionID, "client_id": clientID})
		if err != nil || n > 0 {
			return err
		}
		return tx.MustExist(ctx, "session", selectSessionID, sessionID)
	})
}

// ListDueLogouts implements storage.LogoutDeliveryStore.
func (s *Identity) ListDueLogouts(ctx context.Context, now time.Time, limit,
	perClient int) ([]storage.LogoutDelivery, error) {
	return engine.All[storage.LogoutDelivery](ctx, s.db, selectDueLogouts,
		engine.Args{"now": now, "limit": limit, "per_client": perClient})
}

// RecordLogoutAttempt implements storage.LogoutDeliveryStore.
func (s *Identity) RecordLogoutAttempt(ctx context.Context, attempt storage.DeliveryAttempt) error {
	return engine.RecordAttempt(ctx, s.db, recordLogoutAttempt, attempt)
}

// ListLogoutDeliveries implements storage.LogoutDeliveryStore.
func (s *Identity) ListLogoutDeliveries(ctx context.Context, clientID string,
	page storage.PageRequest) ([]storage.LogoutDelivery, string, error) {
	return engine.PageBack(ctx, s.db, page, selectLogoutDeliveries, engine.Args{"owner": clientID},
		func(d storage.LogoutDelivery) int64 { return d.ID })
}
