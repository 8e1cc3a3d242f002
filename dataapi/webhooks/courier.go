package webhooks

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/storage"
)

// CourierStore is what delivering needs of the store.
type CourierStore interface {
	storage.WebhookStore
	ListChanges(ctx context.Context, projectID string, after int64, limit int) ([]storage.Event, int64, error)
	ListAncestors(ctx context.Context, userID, projectID, folderID string) ([]storage.Ancestor, error)
	AcquireLease(ctx context.Context, name, holder string, now, until time.Time) (bool, error)
}

// CourierOptions are what a Courier is made of. Every field is needed.
type CourierOptions struct {
	Store    CourierStore
	Ambient  *ambient.Source
	Ring     *sealing.Ring
	Outbound *outbound.Client
	Log      *slog.Logger
	Space    urn.Space
}

// Courier delivers notices. Any number of servers may run one: one at a time
// works.
type Courier struct {
	with   CourierOptions
	holder string // names this process among its replicas

	mu       sync.Mutex
	underWay map[int64]string // webhooks of deliveries that are being attempted
	slow     map[string]bool  // webhooks whose receivers kept the last attempt waiting
	flights  sync.WaitGroup
}

const (
	duty = "webhooks"

	// lease is longer than an attempt can take, so that whoever takes over
	// attempts nothing that is under way.
	lease = 8 * time.Second

	look = 300 * time.Millisecond

	// queueRounds is how often changes are made into deliveries before some are
	// attempted.
	queueRounds = 10

	// A webhook whose receiver hangs takes a part of what goes on at once, and so do
	// all of them together, never all of it.
	maxAtOnce  = 32
	maxPerHook = 4
	maxSlow    = maxAtOnce / 2

	// maxListed is how many deliveries are looked at: of those that are due, many may
	// be of webhooks whose receivers hang.
	maxListed = 8 * maxAtOnce

	// slowAnswer is how long an attempt takes whose receiver keeps others waiting.
	slowAnswer = 250 * time.Millisecond
)

// NewCourier returns a Courier.
func NewCourier(o CourierOptions) *Courier {
	return &Courier{with: o, holder: o.Ambient.UID(), underWay: map[int64]string{}, slow: map[string]bool{}}
}

// Run works until the context ends, and then finishes what is under way, which
// takes some seconds at most.
func (c *Courier) Run(ctx context.Context) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	defer c.flights.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := tracing.Round(ctx, "webhooks", c.Work); err != nil && ctx.Err() == nil {
			c.with.Log.ErrorContext(ctx, "delivering to webhooks failed", "error", err)
		}
	}
}

// Work makes deliveries of what has happened and begins to attempt those whose
// time has come, unless another server is at it. Wait returns when the attempts
// are over.
func (c *Courier) Work(ctx context.Context) error {
	idle, err := c.idle(ctx)
	if err != nil || idle {
		return err
	}
	mine, err := c.acquire(ctx)
	if err != nil || !mine {
		return err
	}
	more := true
	for rounds := 0; more && rounds < queueRounds; rounds++ {
		if more, err = c.queue(ctx); err != nil {
			return err
		}
	}
	// That may have taken longer than the duty was ours.
	if mine, err = c.acquire(ctx); err != nil || !mine {
		return err
	}
	// What ends while the list is read is in it, and not due any more.
	before := c.pending()
	// A webhook with deliveries under way has up to maxPerHook rows in the list.
	due, err := c.with.Store.ListDueDeliveries(ctx, c.with.Ambient.Now(), maxListed, maxPerHook)
	if err != nil {
		return err
	}
	for _, delivery := range due {
		if _, was := before[delivery.ID]; !was && c.begin(delivery) {
			c.flights.Go(func() { c.attempt(context.WithoutCancel(ctx), delivery) })
		}
	}
	return nil
}

// Wait returns when every attempt is over.
func (c *Courier) Wait() { c.flights.Wait() }

// idle reports whether there is nothing to do. The duty is asked for only when there is
// something, so that an idle server writes nothing.
func (c *Courier) idle(ctx context.Context) (bool, error) {
	behind, err := c.with.Store.ListBehindWebhooks(ctx, 1)
	if err != nil || len(behind) > 0 || len(c.pending()) > 0 {
		return false, err
	}
	due, err := c.with.Store.ListDueDeliveries(ctx, c.with.Ambient.Now(), 1, 1)
	return len(due) == 0, err
}

// acquire takes the duty, or keeps it.
func (c *Courier) acquire(ctx context.Context) (bool, error) {
	now := c.with.Ambient.Now()
	return c.with.Store.AcquireLease(ctx, duty, c.holder, now, now.Add(lease))
}

// pending returns what is being attempted.
func (c *Courier) pending() map[int64]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.underWay)
}

// begin notes that a delivery is under way, unless it is or too much else is.
func (c *Courier) begin(d storage.WebhookDelivery) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.underWay) >= maxAtOnce {
		return false
	}
	same, slow := 0, 0
	for _, hook := range c.underWay {
		if hook == d.WebhookID {
			same++
		}
		if c.slow[hook] {
			slow++
		}
	}
	if same >= maxPerHook || c.slow[d.WebhookID] && slow >= maxSlow {
		return false
	}
	c.underWay[d.ID] = d.WebhookID
	return true
}

func (c *Courier) end(d storage.WebhookDelivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.underWay, d.ID)
}

// answered notes how long the webhook's receiver took.
func (c *Courier) answered(d storage.WebhookDelivery, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if took < slowAnswer {
		delete(c.slow, d.WebhookID)
		return
	}
	c.slow[d.WebhookID] = true
}
