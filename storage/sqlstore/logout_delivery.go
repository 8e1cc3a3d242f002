package sqlstore

import (
	"context"
	"strconv"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

type logoutDeliveryRow struct {
	ID          int64   `db:"id"`
	ClientID    string  `db:"client_id"`
	URI         string  `db:"uri"`
	UserID      string  `db:"user_id"`
	SessionID   string  `db:"session_id"`
	CreatedAt   instant `db:"created_at"`
	Attempts    int     `db:"attempts"`
	LastAt      instant `db:"last_at"`
	LastStatus  int     `db:"last_status"`
	Failure     string  `db:"failure"`
	NextAt      instant `db:"next_at"`
	DeliveredAt instant `db:"delivered_at"`
}

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

	deliveryColumns = `d.id, d.client_id, c.backchannel_logout_uri AS uri, d.user_id, d.session_id, d.created_at,
	d.attempts, d.last_at, d.last_status, d.failure, d.next_at, d.delivered_at`

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
WHERE d.client_id = :client_id AND d.id < :before
ORDER BY d.id DESC LIMIT :limit`
)

func (r logoutDeliveryRow) record() storage.LogoutDelivery {
	return storage.LogoutDelivery{
		ID: r.ID, ClientID: r.ClientID, URI: r.URI, UserID: r.UserID, SessionID: r.SessionID,
		CreatedAt: r.CreatedAt.Time, Attempts: r.Attempts, LastAt: r.LastAt.Time, LastStatus: r.LastStatus,
		Failure: r.Failure, NextAt: r.NextAt.Time, DeliveredAt: r.DeliveredAt.Time,
	}
}

// JoinSession implements storage.LogoutDeliveryStore.
func (s *Store) JoinSession(ctx context.Context, sessionID, clientID string) error {
	return s.write(ctx, func(tx tx) error {
		n, err := tx.exec(ctx, joinSession, args{"session_id": sessionID, "client_id": clientID})
		if err != nil || n > 0 {
			return err
		}
		return tx.mustExist(ctx, "session", selectSessionID, sessionID)
	})
}

// ListDueLogouts implements storage.LogoutDeliveryStore.
func (s *Store) ListDueLogouts(ctx context.Context, now time.Time, limit, perClient int) ([]storage.LogoutDelivery, error) {
	var rows []logoutDeliveryRow
	err := s.reader.list(ctx, &rows, selectDueLogouts, args{"now": at(now), "limit": limit, "per_client": perClient})
	return records(rows, logoutDeliveryRow.record), asFault(err)
}

// RecordLogoutAttempt implements storage.LogoutDeliveryStore.
func (s *Store) RecordLogoutAttempt(ctx context.Context, attempt storage.LogoutAttempt) error {
	arg := args{
		"id": attempt.DeliveryID, "at": at(attempt.At), "status": attempt.Status, "failure": attempt.Failure,
		"next_at": at(attempt.NextAt), "delivered_at": instant{},
	}
	if attempt.Failure == "" {
		arg["delivered_at"] = at(attempt.At)
	}
	_, err := s.writeOne(ctx, recordLogoutAttempt, arg)
	return err
}

// ListLogoutDeliveries implements storage.LogoutDeliveryStore. The cursor is
// the id of the last delivery of the page before.
func (s *Store) ListLogoutDeliveries(ctx context.Context, clientID string, page storage.PageRequest) ([]storage.LogoutDelivery, string, error) {
	limit, err := pageLimit(page)
	if err != nil {
		return nil, "", err
	}
	before := int64(1<<63 - 1)
	if page.After != "" {
		if before, err = strconv.ParseInt(page.After, 10, 64); err != nil {
			return nil, "", fault.New(fault.Invalid, "", "The cursor is none that a page of logout deliveries ends with.")
		}
	}
	var rows []logoutDeliveryRow
	err = s.reader.list(ctx, &rows, selectLogoutDeliveries, args{"client_id": clientID, "before": before, "limit": limit + 1})
	if err != nil {
		return nil, "", asFault(err)
	}
	rows, next := cutPage(rows, limit, func(r logoutDeliveryRow) string { return strconv.FormatInt(r.ID, 10) })
	return records(rows, logoutDeliveryRow.record), next, nil
}
