package tree

import (
	"context"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

type webhookRow struct {
	Key       int64          `db:"id"`
	UID       string         `db:"uid"`
	HubID     string         `db:"hub_id"`
	ProjectID string         `db:"project_id"`
	FolderUID string         `db:"folder_uid"`
	Events    string         `db:"events"` // separated by blanks
	URL       string         `db:"url"`
	Secret    []byte         `db:"secret"`
	CreatedAt engine.Instant `db:"created_at"`
	CreatedBy string         `db:"created_by"`
	Position  int64          `db:"position"`
}

func (r webhookRow) record() storage.Webhook {
	return storage.Webhook{
		ID: r.UID, HubID: r.HubID, ProjectID: r.ProjectID, FolderID: r.FolderUID, Events: strings.Fields(r.Events),
		URL: r.URL, Secret: r.Secret, CreatedAt: r.CreatedAt.Time, CreatedBy: r.CreatedBy, Position: r.Position,
	}
}

const (
	insertWebhook = `
INSERT INTO webhooks (uid, project_id, folder_uid, events, url, secret, created_at, created_by, position)
SELECT :uid, id, :folder_uid, :events, :url, :secret, :created_at, :created_by, (SELECT last FROM event_positions)
FROM projects WHERE uid = :project_id`

	countWebhooks = `
SELECT count(*) FROM webhooks w JOIN projects p ON p.id = w.project_id WHERE p.uid = :project_id`

	selectWebhooks = `
SELECT w.id, w.uid, p.hub_id, p.uid AS project_id, w.folder_uid, w.events, w.url, w.secret, w.created_at, w.created_by, w.position
FROM webhooks w
JOIN (SELECT p.id, p.uid, h.id AS hub_id, p.active AND h.active AS open FROM projects p JOIN hubs h ON h.id = p.hub_id) p
	ON p.id = w.project_id`

	selectProjectWebhooks = selectWebhooks + `
WHERE p.uid = :project_id ORDER BY w.id`

	selectWebhook = selectWebhooks + `
WHERE p.uid = :project_id AND w.uid = :uid`

	pageWebhooks = selectWebhooks + `
WHERE w.uid > :after ORDER BY w.uid LIMIT :limit`

	resealWebhook = `
UPDATE webhooks SET secret = :sealed WHERE uid = :uid AND secret = :was`

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
		_, err := tx.Exec(ctx, insertWebhook, engine.Args{
			"uid": hook.ID, "project_id": hook.ProjectID, "folder_uid": hook.FolderID, "events": strings.Join(hook.Events, " "),
			"url": hook.URL, "secret": hook.Secret, "created_at": engine.At(hook.CreatedAt), "created_by": hook.CreatedBy,
		})
		if err != nil {
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
		return fault.Newf(fault.Conflict, storage.ReasonTooManyWebhooks, "A project has at most %d webhooks.", storage.MaxWebhooks)
	}
	return nil
}

// FindWebhook implements storage.WebhookStore.
func (s *Tree) FindWebhook(ctx context.Context, projectID, id string) (storage.Webhook, error) {
	var row webhookRow
	err := s.db.Get(ctx, &row, selectWebhook, engine.Args{"project_id": projectID, "uid": id})
	return row.record(), engine.OrAbsent(err, "webhook")
}

// ListWebhooks implements storage.WebhookStore.
func (s *Tree) ListWebhooks(ctx context.Context, projectID string) ([]storage.Webhook, error) {
	var rows []webhookRow
	err := s.db.List(ctx, &rows, selectProjectWebhooks, engine.Args{"project_id": projectID})
	return engine.Records(rows, webhookRow.record), engine.AsFault(err)
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
	var rows []webhookRow
	err := s.db.List(ctx, &rows, selectBehindWebhooks, engine.Args{"pending": storage.MaxPendingDeliveries, "limit": limit})
	return engine.Records(rows, webhookRow.record), engine.AsFault(err)
}

// PageWebhooks implements storage.WebhookStore.
func (s *Tree) PageWebhooks(ctx context.Context, after string, limit int) ([]storage.Webhook, error) {
	var rows []webhookRow
	err := s.db.List(ctx, &rows, pageWebhooks, engine.Args{"after": after, "limit": limit})
	return engine.Records(rows, webhookRow.record), engine.AsFault(err)
}

// ResealWebhook implements storage.WebhookStore.
func (s *Tree) ResealWebhook(ctx context.Context, id string, was, sealed []byte) error {
	_, err := s.db.WriteOne(ctx, resealWebhook, engine.Args{"uid": id, "was": was, "sealed": sealed})
	return err
}
