package sqlstore

import (
	"context"
	"strconv"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

type webhookDeliveryRow struct {
	ID          int64   `db:"id"`
	WebhookID   string  `db:"webhook_uid"`
	Event       string  `db:"event"`
	Subject     string  `db:"subject"`
	Body        string  `db:"body"`
	CreatedAt   instant `db:"created_at"`
	Attempts    int     `db:"attempts"`
	LastAt      instant `db:"last_at"`
	LastStatus  int     `db:"last_status"`
	Failure     string  `db:"failure"`
	NextAt      instant `db:"next_at"`
	DeliveredAt instant `db:"delivered_at"`
	URL         string  `db:"url"`
	Secret      []byte  `db:"secret"`
}

const (
	webhookDeliveryColumns = `d.id, w.uid AS webhook_uid, d.event, d.subject, d.body, d.created_at, d.attempts, d.last_at,
	d.last_status, d.failure, d.next_at, d.delivered_at, w.url, w.secret`

	// What waits behind another of its webhook and subject is not due.
	selectDueDeliveries = `
SELECT ` + webhookDeliveryColumns + `
FROM (SELECT d.*, row_number() OVER (PARTITION BY d.webhook_id ORDER BY d.next_at, d.id) AS place
	FROM webhook_deliveries d
	WHERE d.next_at <= :now AND NOT EXISTS (
		SELECT 1 FROM webhook_deliveries e
		WHERE e.webhook_id = d.webhook_id AND e.subject = d.subject AND e.id < d.id AND e.next_at IS NOT NULL)) d
JOIN webhooks w ON w.id = d.webhook_id
WHERE d.place <= :per_hook
ORDER BY d.next_at, d.id LIMIT :limit`

	recordDeliveryAttempt = `
UPDATE webhook_deliveries SET attempts = attempts + 1, last_at = :at, last_status = :status, failure = :failure,
	next_at = :next_at, delivered_at = coalesce(cast(:delivered_at AS bigint), delivered_at)
WHERE id = :id`

	selectDeliveries = `
SELECT ` + webhookDeliveryColumns + `
FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
WHERE w.uid = :uid AND d.id < :before
ORDER BY d.id DESC LIMIT :limit`

	redeliver = `
UPDATE webhook_deliveries SET next_at = :now, attempts = 0
WHERE id = :id AND webhook_id = (SELECT id FROM webhooks WHERE uid = :uid)`

	sweepDeliveries = `
DELETE FROM webhook_deliveries WHERE id IN (
	SELECT id FROM webhook_deliveries WHERE next_at IS NULL AND last_at <= :before LIMIT :limit)`
)

func (r webhookDeliveryRow) record() storage.WebhookDelivery {
	return storage.WebhookDelivery{
		ID: r.ID, WebhookID: r.WebhookID, Event: r.Event, Subject: r.Subject, Body: r.Body, CreatedAt: r.CreatedAt.Time,
		Attempts: r.Attempts, LastAt: r.LastAt.Time, LastStatus: r.LastStatus, Failure: r.Failure,
		NextAt: r.NextAt.Time, DeliveredAt: r.DeliveredAt.Time, URL: r.URL, Secret: r.Secret,
	}
}

// QueueDeliveries implements storage.WebhookStore.
func (s *Store) QueueDeliveries(ctx context.Context, hook storage.Webhook, next int64, now time.Time, deliveries []storage.WebhookDelivery) (bool, error) {
	moved := false
	err := s.write(ctx, func(tx tx) error {
		n, err := tx.exec(ctx, moveWebhook, args{"uid": hook.ID, "position": hook.Position, "next": next})
		if moved = n > 0; err != nil || !moved {
			return err
		}
		for _, d := range deliveries {
			_, err := tx.exec(ctx, insertDelivery, args{
				"uid": hook.ID, "event": d.Event, "subject": d.Subject, "body": d.Body, "now": at(now),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return moved, err
}

// ListDueDeliveries implements storage.WebhookStore.
func (s *Store) ListDueDeliveries(ctx context.Context, now time.Time, limit, perHook int) ([]storage.WebhookDelivery, error) {
	var rows []webhookDeliveryRow
	err := s.reader.list(ctx, &rows, selectDueDeliveries, args{"now": at(now), "limit": limit, "per_hook": perHook})
	return records(rows, webhookDeliveryRow.record), asFault(err)
}

// RecordDeliveryAttempt implements storage.WebhookStore.
func (s *Store) RecordDeliveryAttempt(ctx context.Context, attempt storage.DeliveryAttempt) error {
	arg := args{
		"id": attempt.DeliveryID, "at": at(attempt.At), "status": attempt.Status, "failure": attempt.Failure,
		"next_at": at(attempt.NextAt), "delivered_at": instant{},
	}
	if attempt.Failure == "" {
		arg["delivered_at"] = at(attempt.At)
	}
	_, err := s.writeOne(ctx, recordDeliveryAttempt, arg)
	return err
}

// ListDeliveries implements storage.WebhookStore. The cursor is the id of the
// last delivery of the page before.
func (s *Store) ListDeliveries(ctx context.Context, webhookID string, page storage.PageRequest) ([]storage.WebhookDelivery, string, error) {
	limit, err := pageLimit(page)
	if err != nil {
		return nil, "", err
	}
	before := int64(1<<63 - 1)
	if page.After != "" {
		if before, err = strconv.ParseInt(page.After, 10, 64); err != nil {
			return nil, "", fault.New(fault.Invalid, "", "The cursor is none that a page of deliveries ends with.")
		}
	}
	var rows []webhookDeliveryRow
	if err := s.reader.list(ctx, &rows, selectDeliveries, args{"uid": webhookID, "before": before, "limit": limit + 1}); err != nil {
		return nil, "", asFault(err)
	}
	rows, next := cutPage(rows, limit, func(r webhookDeliveryRow) string { return strconv.FormatInt(r.ID, 10) })
	return records(rows, webhookDeliveryRow.record), next, nil
}

// Redeliver implements storage.WebhookStore.
func (s *Store) Redeliver(ctx context.Context, webhookID string, deliveryID int64, now time.Time) error {
	n, err := s.writeOne(ctx, redeliver, args{"uid": webhookID, "id": deliveryID, "now": at(now)})
	if err == nil && n == 0 {
		return absent("delivery")
	}
	return err
}

// SweepDeliveries implements storage.WebhookStore.
func (s *Store) SweepDeliveries(ctx context.Context, now time.Time, limit int) (int, error) {
	n, err := s.writeOne(ctx, sweepDeliveries, args{"before": at(now.Add(-storage.KeepDeliveries)), "limit": limit})
	return int(n), err
}
