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

	// From client to client that something waits for, and of each from one to the next: a
	// million that wait for one client are not looked through for the first few.
	selectDueLogouts = `
WITH RECURSIVE waiting (client_id) AS (
	SELECT (SELECT client_id FROM logout_deliveries WHERE client_id > '' AND next_at IS NOT NULL
		ORDER BY client_id, next_at LIMIT 1)
	UNION ALL
	SELECT (SELECT l.client_id FROM logout_deliveries l WHERE l.client_id > waiting.client_id AND l.next_at IS NOT NULL
		ORDER BY l.client_id, l.next_at LIMIT 1)
	FROM waiting WHERE waiting.client_id IS NOT NULL
), turns (id, place) AS (
	SELECT (SELECT e.id FROM logout_deliveries e WHERE e.client_id = waiting.client_id AND e.next_at <= :now
		ORDER BY e.next_at, e.id LIMIT 1), 1
	FROM waiting JOIN clients c ON c.id = waiting.client_id WHERE NOT c.disabled AND c.backchannel_logout_uri <> ''
	UNION ALL
	SELECT (SELECT e.id FROM logout_deliveries e WHERE e.client_id = p.client_id AND e.next_at <= :now
		AND (e.next_at, e.id) > (p.next_at, p.id) ORDER BY e.next_at, e.id LIMIT 1), turns.place + 1
	FROM turns JOIN logout_deliveries p ON p.id = turns.id WHERE turns.place < :per_client
)
SELECT ` + deliveryColumns + `
FROM turns JOIN logout_deliveries d ON d.id = turns.id JOIN clients c ON c.id = d.client_id
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
