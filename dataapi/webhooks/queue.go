package webhooks

import (
	"context"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// hookBatch and queueBatch are how many webhooks, and how many changes of each, are made into
// deliveries in one go.
const (
	hookBatch  = 20
	queueBatch = storage.MaxPage
)

// queue makes deliveries of what has happened. It reports whether there was
// anything to look at.
func (c *Courier) queue(ctx context.Context) (bool, error) {
	hooks, err := c.with.Store.ListBehindWebhooks(ctx, hookBatch)
	if err != nil {
		return false, err
	}
	for _, hook := range hooks {
		if err := c.queueFor(ctx, hook); err != nil {
			return false, err
		}
	}
	return len(hooks) > 0, nil
}

func (c *Courier) queueFor(ctx context.Context, hook storage.Webhook) error {
	events, next, err := c.with.Store.ListChanges(ctx, hook.ProjectID, hook.Position, queueBatch)
	if fault.Is(err, fault.Gone) {
		// It is so long since anything happened here, or since its receiver
		// answered, that what is kept begins behind it.
		c.with.Log.InfoContext(ctx, "a webhook goes on with the oldest change that is kept", "webhook", hook.ID)
		events, next, err = c.with.Store.ListChanges(ctx, hook.ProjectID, 0, queueBatch)
	}
	if err != nil {
		return err
	}
	w := watch{courier: c, hook: hook, within: map[string]bool{}}
	var deliveries []storage.WebhookDelivery
	for _, e := range events {
		name, err := w.name(ctx, e)
		if err != nil {
			return err
		}
		if name == "" {
			continue
		}
		body, err := write(c.with.Space, hook, e, name)
		if err != nil {
			return err
		}
		deliveries = append(deliveries, storage.WebhookDelivery{Event: name, Subject: e.Subject, Body: body})
	}
	// False: another server was faster.
	_, err = c.with.Store.QueueDeliveries(ctx, hook, next, c.with.Ambient.Now(), deliveries)
	return err
}

// watch decides what a webhook is told.
type watch struct {
	courier *Courier
	hook    storage.Webhook
	within  map[string]bool // whether folders lie in the webhook's
}

// name returns what the webhook calls the change, empty when it is none of its
// business.
func (w watch) name(ctx context.Context, e storage.Event) (string, error) {
	name := nameOf(e.Kind)
	if name == "" || dataOf(e).Deletes { // which is told as deleted: there is no version to fetch
		return "", nil
	}
	inside, err := w.covers(ctx, e.FolderID)
	if err != nil {
		return "", err
	}
	if out := outOf(name); out != "" && !inside {
		name = out
		if inside, err = w.covers(ctx, dataOf(e).From); err != nil {
			return "", err
		}
	}
	if !inside || len(w.hook.Events) > 0 && !slices.Contains(w.hook.Events, name) {
		return "", nil
	}
	return name, nil
}

// covers reports whether the folder is the webhook's, or lies below it now.
// Where a thing lay that is no more is not known.
func (w watch) covers(ctx context.Context, folder string) (bool, error) {
	if w.hook.FolderID == "" {
		return true, nil
	}
	if folder == "" {
		return false, nil
	}
	inside, known := w.within[folder]
	if known {
		return inside, nil
	}
	way, err := w.courier.with.Store.ListAncestors(ctx, "", w.hook.ProjectID, folder)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return false, err
	}
	inside = slices.ContainsFunc(way, func(a storage.Ancestor) bool { return a.ID == w.hook.FolderID })
	w.within[folder] = inside
	return inside, nil
}
