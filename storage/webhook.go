package storage

import (
	"context"
	"time"
)

// Webhook is a standing order to tell an address of what happens in a project.
type Webhook struct {
	ID        string // UUID
	HubID     string
	ProjectID string
	FolderID  string   // uid; only what happens in it and below; empty: in the whole project
	Events    []string // names of what it is told of; empty: of everything
	URL       string
	Secret    []byte // sealed; what deliveries are signed with
	CreatedAt time.Time
	CreatedBy string // id of a user; empty: the operator
	Position  int64  // up to where the project's changes were made into deliveries
}

// WebhookDelivery is the duty to tell a webhook of one change, and what became
// of it.
type WebhookDelivery struct {
	ID        int64 // grows; of one webhook and subject the order of delivery
	WebhookID string
	Event     string // name, such as dm.version.added
	Subject   string // what was changed
	Body      string // what is sent
	Progress

	URL    string // where to: that of the webhook
	Secret []byte // likewise; sealed
}

const (
	// MaxWebhooks is how many a project may have.
	MaxWebhooks = 50

	// MaxPendingDeliveries is how many of a webhook may wait: changes stay in
	// the feed, for as long as it keeps them, until some are done.
	MaxPendingDeliveries = 1000

	// KeepDeliveries is how long a delivery that is over can be looked at.
	KeepDeliveries = 30 * 24 * time.Hour

	// ReasonTooManyWebhooks is the reason of the Conflict fault for one more.
	ReasonTooManyWebhooks = "too_many_webhooks"
)

// WebhookStore keeps webhooks and their deliveries.
type WebhookStore interface {
	// CreateWebhook adds a webhook, whose Position is the end of the feed.
	// NotFound for an absent project, and for an absent folder
	// (ReasonParentAbsent); Conflict (ReasonTooManyWebhooks).
	CreateWebhook(ctx context.Context, change Change, hook Webhook) error

	// FindWebhook returns the project's webhook. NotFound.
	FindWebhook(ctx context.Context, projectID, id string) (Webhook, error)

	// ListWebhooks returns those of the project, oldest first.
	ListWebhooks(ctx context.Context, projectID string) ([]Webhook, error)

	// DeleteWebhook removes it with its deliveries. NotFound.
	DeleteWebhook(ctx context.Context, change Change, projectID, id string) error

	// ListBehindWebhooks returns at most limit webhooks of active projects in
	// which something has happened behind their positions, and that have fewer
	// than MaxPendingDeliveries waiting, the furthest behind first.
	ListBehindWebhooks(ctx context.Context, limit int) ([]Webhook, error)

	// QueueDeliveries adds deliveries, due at now, and moves the webhook's
	// position from hook.Position to next, both or neither; false when it was
	// not at hook.Position any more.
	QueueDeliveries(ctx context.Context, hook Webhook, next int64, now time.Time,
		deliveries []WebhookDelivery) (bool, error)

	// ListDueDeliveries returns deliveries whose time has come, the longest due of
	// each webhook, then the second of each and so on, at most limit, and of one
	// webhook at most perHook. Of one webhook and subject only the first that is not
	// over is due.
	ListDueDeliveries(ctx context.Context, now time.Time, limit, perHook int) ([]WebhookDelivery, error)

	// RecordDeliveryAttempt counts an attempt and notes how it went. An absent
	// delivery is no error.
	RecordDeliveryAttempt(ctx context.Context, attempt DeliveryAttempt) error

	// ListDeliveries returns a page of the webhook's deliveries, newest first,
	// and the next cursor.
	ListDeliveries(ctx context.Context, webhookID string, page PageRequest) ([]WebhookDelivery, string, error)

	// Redeliver makes a delivery due again, whatever became of it. NotFound.
	Redeliver(ctx context.Context, webhookID string, deliveryID int64, now time.Time) error

	// SweepDeliveries removes at most limit deliveries that were over more than
	// KeepDeliveries ago, and returns how many.
	SweepDeliveries(ctx context.Context, now time.Time, limit int) (int, error)
}
