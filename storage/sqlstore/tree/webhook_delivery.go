package tree

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	webhookDeliveryColumns = engine.ProgressColumns + `, w.uid AS webhook_id, d.event, d.subject, d.body, w.url, w.secret`

	// What waits behind another of its webhook and subject is not due. The first of each webhook
	// comes before the second of any.
	selectDueDeliveries = `
SELECT ` + webhookDeliveryColumns + `
FROM (SELECT d.*, row_number() OVER (PARTITION BY d.webhook_id ORDER BY d.next_at, d.id) AS place
	FROM webhook_deliveries d
	WHERE d.next_at <= :now AND NOT EXISTS (
		SELECT 1 FROM webhook_deliveries e
		WHERE e.webhook_id = d.webhook_id AND e.subject = d.subject AND e.id < d.id AND e.next_at IS NOT NULL)) d
JOIN webhooks w ON w.id = d.webhook_id
WHERE d.place <= :per_hook
ORDER BY d.place, d.next_at, d.id LIMIT :limit`

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
)

var sweepDeliveries = engine.Sweeping("webhook_deliveries", "id", "next_at IS NULL AND last_at <= :before")

// QueueDeliveries implements storage.WebhookStore.
func (s *Tree) QueueDeliveries(ctx context.Context, hook storage.Webhook, next int64, now time.Time,
	deliveries []storage.WebhookDelivery) (bool, error) {
	moved := false
	err := s.write(ctx, func(tx tx) error {
		n, err := tx.Exec(ctx, moveWebhook, engine.Args{"uid": hook.ID, "position": hook.Position, "next": next})
		if moved = n > 0; err != nil || !moved {
			return err
		}
		for _, d := range deliveries {
			_, err := tx.Exec(ctx, insertDelivery, engine.Args{
				"uid": hook.ID, "event": d.Event, "subject": d.Subject, "body": d.Body, "now": now,
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
func (s *Tree) ListDueDeliveries(ctx context.Context, now time.Time, limit,
	perHook int) ([]storage.WebhookDelivery, error) {
	return engine.All[storage.WebhookDelivery](ctx, s.db, selectDueDeliveries,
		engine.Args{"now": now, "limit": limit, "per_hook": perHook})
}

// RecordDeliveryAttempt implements storage.WebhookStore.
func (s *Tree) RecordDeliveryAttempt(ctx context.Context, attempt storage.DeliveryAttempt) error {
	return engine.RecordAttempt(ctx, s.db, recordDeliveryAttempt, attempt)
}

// ListDeliveries implements storage.WebhookStore.
func (s *Tree) ListDeliveries(ctx context.Context, webhookID string,
	page storage.PageRequest) ([]storage.WebhookDelivery, string, error) {
	return engine.PageBack(ctx, s.db, page, selectDeliveries, engine.Args{"owner": webhookID},
		func(d storage.WebhookDelivery) int64 { return d.ID })
}

// Redeliver implements storage.WebhookStore.
func (s *Tree) Redeliver(ctx context.Context, webhookID string, deliveryID int64, now time.Time) error {
	return s.db.WriteMust(ctx, engine.Absent("delivery"), redeliver,
		engine.Args{"uid": webhookID, "id": deliveryID, "now": now})
}

// SweepDeliveries implements storage.WebhookStore.
func (s *Tree) SweepDeliveries(ctx context.Context, now time.Time, limit int) (int, error) {
	return s.db.Sweep(ctx, sweepDeliveries, engine.Args{"before": now.Add(-storage.KeepDeliveries), "limit": limit})
}
