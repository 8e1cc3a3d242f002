package tree

import (
	"context"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// webhookRow is a webhook with its events in one text, separated by blanks.
type webhookRow struct {
	Events string
	storage.Webhook
}

func newWebhookRow(hook storage.Webhook) webhookRow {
	return webhookRow{strings.Join(hook.Events, " "), hook}
}

func (r webhookRow) record() storage.Webhook {
	r.Webhook.Events = strings.Fields(r.Events)
	return r.Webhook
}

const (
	insertWebhook = `
INSERT INTO webhooks (uid, project_id, folder_uid, events, url, secret, created_at, created_by, position)
SELECT :id, id, :folder_id, :events, :url, :secret, :created_at, :created_by, (SELECT last FROM event_positions)
FROM projects WHERE uid = :project_id`

	countWebhooks = `
SELECT count(*) FROM webhooks w JOIN projects p ON p.id = w.project_id WHERE p.uid = :project_id`

	selectWebhooks = `
SELECT w.uid AS id, p.hub_id, p.uid AS project_id, w.folder_uid AS folder_id, w.events, w.url, w.secret, w.created_at, w.created_by, w.position
FROM webhooks w
JOIN (SELECT p.id, p.uid, h.id AS hub_id, p.active AND h.active AS open FROM projects p JOIN hubs h ON h.id = p.hub_id) p
	ON p.id = w.project_id`

	selectProjectWebhooks = selectWebhooks + `
WHERE p.uid = :project_id ORDER BY w.id`

	selectWebhook = selectWebhooks + `
WHERE p.uid = :project_id AND w.uid = :uid`

	selectBehindWebhooks = selectWebhooks + `
WHERE p.open AND EXISTS (SELECT 1 FROM events e WHERE e.project_id = p.uid AND e.position > w.position)
	AND (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.next_at IS NOT NULL) < :pending
ORDER BY w.position, w.id LIMIT :limit`

	deleteWebhook = `
DELETE FROM webhooks WHERE uid = :uid`

	moveWebhook = `
UPDATE webhooks SET position = :next WHERE uid = :uid AND position = :position`

	insertDelivery = `
INSERT INTO webhook_deliveries (webhook_id, event, subject, body, created_at, attempts, last_status, failure, next_at)
SELECT id, :event, :subject, :body, :now, 0, 0, '', :now FROM webhooks WHERE uid = :uid`
)

// CreateWebhook implements storage.WebhookStore.
func (s *Tree) CreateWebhook(ctx context.Context, change storage.Change, hook storage.Webhook) error {
	// What has happened by now gets its position now, and is not told.
	const batch = 1000
	for n := batch; n == batch; {
		var err error
		if n, err = engine.NewJournal(s.db).StampEvents(ctx, batch); err != nil {
			return err
		}
	}
	return s.inOpenProject(ctx, hook.ProjectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		if err := tx.mayHook(ctx, project, hook); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertWebhook, newWebhookRow(hook)); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventWebhookCreated, project.About(hook.ID, ""), engine.Detail{"url": hook.URL})
	})
}

// mayHook refuses a webhook on an absent folder, and one too many. Several at
// once may make a few more: it is a limit against programs that run wild.
func (t tx) mayHook(ctx context.Context, project hubs.ProjectRow, hook storage.Webhook) error {
	if hook.FolderID != "" {
		if _, err := t.end(ctx, project, storage.End{FolderID: hook.FolderID}); err != nil {
			if fault.Is(err, fault.NotFound) {
				return fault.New(fault.NotFound, storage.ReasonParentAbsent, "There is no such folder in the project.")
			}
			return err
		}
	}
	var n int
	if err := t.Get(ctx, &n, countWebhooks, engine.Args{"project_id": hook.ProjectID}); err != nil {
		return err
	}
	if n >= storage.MaxWebhooks {
		return fault.Newf(fault.Conflict, storage.ReasonTooManyWebhooks,
			"A project has at most %d webhooks.", storage.MaxWebhooks)
	}
	return nil
}

// FindWebhook implements storage.WebhookStore.
func (s *Tree) FindWebhook(ctx context.Context, projectID, id string) (storage.Webhook, error) {
	row, err := engine.Find[webhookRow](ctx, s.db, "webhook", selectWebhook,
		engine.Args{"project_id": projectID, "uid": id})
	return row.record(), err
}

func (s *Tree) webhooks(ctx context.Context, query string, arg engine.Args) ([]storage.Webhook, error) {
	rows, err := engine.All[webhookRow](ctx, s.db, query, arg)
	return engine.Records(rows, webhookRow.record), err
}

// ListWebhooks implements storage.WebhookStore.
func (s *Tree) ListWebhooks(ctx context.Context, projectID string) ([]storage.Webhook, error) {
	return s.webhooks(ctx, selectProjectWebhooks, engine.Args{"project_id": projectID})
}

// DeleteWebhook implements storage.WebhookStore.
func (s *Tree) DeleteWebhook(ctx context.Context, change storage.Change, projectID, id string) error {
	return s.write(ctx, func(tx tx) error {
		project, err := tx.Project(ctx, projectID)
		if err != nil {
			return err
		}
		var row webhookRow
		if err := tx.Get(ctx, &row, selectWebhook, engine.Args{"project_id": projectID, "uid": id}); err != nil {
			return engine.OrAbsent(err, "webhook")
		}
		if err := tx.ExecOne(ctx, engine.Absent("webhook"), deleteWebhook, engine.Args{"uid": id}); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventWebhookDeleted, project.About(id, ""), engine.Detail{"url": row.URL})
	})
}

// ListBehindWebhooks implements storage.WebhookStore.
func (s *Tree) ListBehindWebhooks(ctx context.Context, limit int) ([]storage.Webhook, error) {
	return s.webhooks(ctx, selectBehindWebhooks, engine.Args{"pending": storage.MaxPendingDeliveries, "limit": limit})
}
