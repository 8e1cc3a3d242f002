package webhooks

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/storage"
)

// patience is for how long a delivery is attempted.
const patience = 24 * time.Hour

// pauses are the waits after the first attempt, the second and so on; the last
// is that after all further ones.
var pauses = [...]time.Duration{
	10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour,
}

// attempt makes one attempt and notes how it went.
func (c *Courier) attempt(ctx context.Context, d storage.WebhookDelivery) {
	defer c.end(d)
	attempt, began := storage.DeliveryAttempt{DeliveryID: d.ID, At: c.with.Ambient.Now()}, c.with.Ambient.Elapsed()
	var refused bool
	attempt.Status, attempt.Failure, refused = c.send(ctx, d)
	c.answered(d, c.with.Ambient.Elapsed()-began)
	if attempt.Failure != "" {
		if !refused {
			attempt.NextAt = nextAttempt(d, c.with.Ambient.Now())
		}
		if attempt.NextAt.IsZero() {
			c.with.Log.WarnContext(ctx, "a webhook could not be told of a change", "webhook", d.WebhookID, "delivery", d.ID,
				"reason", attempt.Failure)
		}
	}
	if err := c.with.Store.RecordDeliveryAttempt(ctx, attempt); err != nil {
		c.with.Log.ErrorContext(ctx, "noting a delivery failed", "error", err)
	}
}

// nextAttempt returns when to try again, the zero time for not at all. The last
// attempt is at the end of the patience.
func nextAttempt(d storage.WebhookDelivery, now time.Time) time.Time {
	end := d.CreatedAt.Add(patience)
	if !now.Before(end) {
		return time.Time{}
	}
	next := now.Add(pauses[min(d.Attempts, len(pauses)-1)])
	if next.After(end) {
		return end
	}
	return next
}

// send returns the status of the answer, 0 without one, and what was wrong, ""
// for nothing; and whether it was that the address may not be called.
func (c *Courier) send(ctx context.Context, d storage.WebhookDelivery) (int, string, bool) {
	secret, _, err := c.with.Ring.Open(secretLabel, d.Secret, []byte(d.WebhookID))
	if err != nil {
		c.with.Log.ErrorContext(ctx, "the secret of a webhook can't be opened", "webhook", d.WebhookID, "error", err)
		return 0, "The secret of the webhook can't be opened: make the webhook anew.", false
	}
	header := http.Header{"Content-Type": {"application/json"}, HeaderEvent: {d.Event}}
	sign(header, string(secret), strconv.FormatInt(d.ID, 10), c.with.Ambient.Now(), d.Body)
	answer, err := c.with.Outbound.PostWith(ctx, d.URL, header, []byte(d.Body))
	switch status := answer.Status; {
	case err != nil:
		return 0, fault.From(err).Detail, outbound.Refused(err)
	case status >= http.StatusOK && status < http.StatusMultipleChoices:
		return status, "", false
	case status < http.StatusBadRequest:
		return status, "The receiver answered with a redirect, which is not followed.", false
	default:
		return status, "The receiver answered with status " + strconv.Itoa(status) + ".", false
	}
}
