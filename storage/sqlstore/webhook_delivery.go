package sqlstore

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
)

type webhookDeliveryRow struct {
	progressRow
	WebhookID string `db:"webhook_uid"`
	Event     string `db:"event"`
	Subject   string `db:"subject"`
	Body      string `db:"body"`
	URL       string `db:"url"`
	Secret    []byte `db:"secret"`
}

const (
	webhookDeliveryColumns = progressColumns + `, w.uid AS webhook_uid, d.event, d.subject, d.body, w.url, w.secret`

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
WHERE w.uid = :owner AND d.id < :before
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
		ID: r.ID, WebhookID: r.WebhookID, Event: r.Event, Subject: r.Subject, Body: r.Body, Progress: r.progress(),
		URL: r.URL, Secret: r.Secret,
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
	return s.recordAttempt(ctx, recordDeliveryAttempt, attempt)
}

// ListDeliveries implements storage.WebhookStore.
func (s *Store) ListDeliveries(ctx context.Context, webhookID string, page storage.PageRequest) ([]storage.WebhookDelivery, string, error) {
	rows, next, err := pageDeliveries[webhookDeliveryRow](ctx, s, selectDeliveries, webhookID, page)
	return records(rows, webhookDeliveryRow.record), next, err
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
