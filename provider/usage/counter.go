package usage

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

// Every is how often it is written what was counted.
const Every = time.Minute

// mostWaiting is how much waits at most for a database that is away.
const mostWaiting = 10_000

// keyLabel is that of the keys of marks.
const keyLabel = "usage"

// Counter counts what requests are. It is safe for concurrent use.
type Counter struct {
	store   storage.UsageStore
	ring    *sealing.Ring
	ambient *ambient.Source
	log     *slog.Logger

	mu  sync.RWMutex // held for reading while something is counted
	now *page

	writing sync.Mutex // of what follows
	waiting map[hour]storage.UsageAdded
}

// hour is an hour of an app, or of the server.
type hour struct {
	clientID string
	began    time.Time
}

// NewCounter returns one at zero.
func NewCounter(store storage.UsageStore, ring *sealing.Ring, source *ambient.Source, log *slog.Logger) *Counter {
	c := &Counter{store: store, ring: ring, ambient: source, log: log, waiting: map[hour]storage.UsageAdded{}}
	c.now = c.fresh()
	return c
}

func (c *Counter) fresh() *page {
	now := c.ambient.Now()
	p := &page{since: now, all: &tally{}, apps: map[string]*tally{}}
	copy(p.key[:], c.ring.MAC(keyLabel, []byte(now.Format(time.DateOnly))))
	return p
}

// Answered counts a request that was answered with the status.
func (c *Counter) Answered(e *httpio.Exchange, status int) {
	d := judge(e, status)
	if d == (deed{}) {
		return
	}
	app := cmp.Or(e.ClientID, e.Blamed)
	c.mu.RLock()
	of := c.now.apps[app]
	if of == nil && app != "" {
		c.mu.RUnlock()
		c.learn(app)
		c.mu.RLock()
		of = c.now.apps[app]
	}
	defer c.mu.RUnlock()
	c.now.count(d, of, e.UserID)
}

// learn makes room for what an app does.
func (c *Counter) learn(app string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.now.apps[app] != nil:
	case len(c.now.apps) < mostApps:
		c.now.apps[app] = &tally{}
	default:
		c.now.left++
	}
}

// Flush writes what was counted since the last time. What can't be written is tried again
// with the next.
func (c *Counter) Flush(ctx context.Context) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.turn()
	if len(c.waiting) == 0 {
		return nil
	}
	all := make([]storage.UsageAdded, 0, len(c.waiting))
	for _, one := range c.waiting {
		all = append(all, one)
	}
	err := c.store.AddUsage(ctx, all)
	if err == nil {
		clear(c.waiting)
	}
	return err
}

// turn begins a new page, and puts what the last one has where it waits. It counts for the
// hour in which that page was begun: whoever flushes does so at the end of each minute.
func (c *Counter) turn() {
	fresh := c.fresh()
	c.mu.Lock()
	done := c.now
	c.now = fresh
	c.mu.Unlock()
	lost := done.left
	for _, one := range done.added() {
		lost += c.wait(one)
	}
	if lost > 0 {
		c.log.Warn("usage was not counted by app: there were too many", "requests", lost)
	}
}

// wait adds to what waits, and returns how much found no room.
func (c *Counter) wait(one storage.UsageAdded) (lost int) {
	key := hour{one.ClientID, one.Hour}
	was, known := c.waiting[key]
	if !known && len(c.waiting) >= mostWaiting {
		return 1
	}
	one.SignIns += was.SignIns
	one.Tokens += was.Tokens
	one.Refused += was.Refused
	one.Failed += was.Failed
	one.Crowd = was.Crowd.Met(one.Crowd...)
	c.waiting[key] = one
	return 0
}

// UntilNext is how long it is to the end of the minute.
func (c *Counter) UntilNext() time.Duration {
	now := c.ambient.Now()
	return now.Truncate(Every).Add(Every).Sub(now)
}

// page is what is counted between two writes.
type page struct {
	since time.Time
	key   key
	all   *tally
	apps  map[string]*tally
	left  int // requests of apps that were too many
}

// count notes a request of an app; nil: of none.
func (p *page) count(d deed, of *tally, userID string) {
	p.all.add(d, d.signedIn)
	if of != nil {
		of.add(d, d.arrived)
	}
	if !d.present {
		return
	}
	mark := p.key.mark(userID)
	p.all.meet(mark)
	if of != nil {
		of.meet(mark)
	}
}

// added is what the page has. Nobody counts on it any more.
func (p *page) added() []storage.UsageAdded {
	began := p.since.Truncate(time.Hour)
	all := []storage.UsageAdded{p.all.added("", began)}
	for id, t := range p.apps {
		all = append(all, t.added(id, began))
	}
	return slices.DeleteFunc(all, func(one storage.UsageAdded) bool {
		return one.UsageCounts == (storage.UsageCounts{}) && len(one.Crowd) == 0
	})
}
