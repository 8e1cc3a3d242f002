package webhooks

import (
	"context"

	"github.com/portico-id/portico/storage"
)

// Reseal seals anew what was sealed under the server's secret before, so that
// that can be forgotten. Secrets that can't be opened stay as they are: their
// deliveries say so.
func (c *Courier) Reseal(ctx context.Context) error {
	for after := ""; ; {
		hooks, err := c.with.Store.PageWebhooks(ctx, after, storage.MaxPage)
		if err != nil {
			return err
		}
		for _, hook := range hooks {
			after = hook.ID
			secret, fresh, err := c.with.Ring.Open(secretLabel, hook.Secret, []byte(hook.ID))
			if err != nil || fresh {
				continue
			}
			sealed := c.with.Ring.Seal(secretLabel, secret, []byte(hook.ID))
			if err := c.with.Store.ResealWebhook(ctx, hook.ID, hook.Secret, sealed); err != nil {
				return err
			}
		}
		if len(hooks) < storage.MaxPage {
			return nil
		}
	}
}
