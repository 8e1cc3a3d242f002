// Package redislink is the way to Redis, where servers share what each would have to
// keep for itself otherwise. It knows what is kept there no more than how to do
// without it: while Redis does not answer it says so, and its callers go by what they
// know themselves.
//
// Start at Link.Ask.
package redislink

import (
	"context"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
)

const (
	// patience is how long Redis may take for anything before it counts as
	// down: far more than it needs, and little enough for a caller to wait.
	patience = 250 * time.Millisecond

	// Connections that lay idle for idleLimit are closed, so that none outlives
	// an outage, after which Redis is left alone for longer than that.
	idleLimit = 3 * time.Second
	maxConns  = 64

	// While Redis does not answer, it is asked again every askAgain, by one call;
	// all others do without at once. The log hears of it every tellAgain.
	askAgain  = 5 * time.Second
	tellAgain = time.Minute
)

// Options are what a Link is made of.
type Options struct {
	URL     string // redis://, rediss:// or unix:///path/to/socket
	Ambient *ambient.Source
	Log     *slog.Logger
	Down    string // what the log is told when Redis does not answer
	Up      string // and when it does again
}

// Link connects to Redis when it is asked for the first time. It is safe for
// concurrent use.
type Link struct {
	with Options
	pool *redis.Pool

	mu     sync.Mutex
	down   bool
	nextAt time.Duration // when to ask again, by a clock that nobody sets; meaningful while down
	told   bool          // the log has heard of an outage
	toldAt time.Duration // when it last did
}

// Open connects to nothing. Its error says what is wrong with the URL.
func Open(o Options) (*Link, error) {
	dial, err := dialer(o.URL)
	if err != nil {
		return nil, err
	}
	return &Link{with: o, pool: &redis.Pool{
		DialContext: dial,
		MaxIdle:     maxConns,
		MaxActive:   maxConns,
		IdleTimeout: idleLimit,
		Wait:        true,
	}}, nil
}

// Close gives the connections back.
func (l *Link) Close() error { return l.pool.Close() }

// dialer returns what connects to the URL. The URL may hold a password, so no
// error quotes it.
func dialer(rawURL string) (func(context.Context) (redis.Conn, error), error) {
	options := []redis.DialOption{
		redis.DialConnectTimeout(patience), redis.DialReadTimeout(patience), redis.DialWriteTimeout(patience),
	}
	u, err := url.Parse(rawURL)
	bare := err == nil && u.RawQuery+u.Fragment == "" // what stands there would be ignored
	switch {
	case bare && u.Scheme == "unix" && u.Path != "":
		return func(ctx context.Context) (redis.Conn, error) {
			return redis.DialContext(ctx, "unix", u.Path, options...)
		}, nil
	case bare && (u.Scheme == "redis" || u.Scheme == "rediss") && u.Host != "" &&
		databasePath().MatchString(u.Path):
		return func(ctx context.Context) (redis.Conn, error) {
			return redis.DialURLContext(ctx, rawURL, options...)
		}, nil
	}
	return nil, fault.New(fault.Invalid, "",
		"The URL of Redis must start with redis://, rediss:// or unix://, name a host or a socket, and a database by its number alone.")
}

// databasePath is what may stand behind the host: dialling quotes anything else in its error,
// and that is the rest of a password with a / that is not percent-encoded.
var databasePath = pattern.Of(`^(/[0-9]{0,9})?$`)

// Ask has do talk to Redis and reports whether it answered; what do made of the
// answer counts only then. It does not heed the caller's end: a caller who went away
// is no reason to think that Redis is down.
func (l *Link) Ask(ctx context.Context, do func(conn redis.Conn) error) bool {
	now := l.with.Ambient.Elapsed()
	if !l.worthAsking(now) {
		return false
	}
	err := l.talk(ctx, do)
	l.learn(ctx, err, now)
	return err == nil
}

func (l *Link) talk(ctx context.Context, do func(conn redis.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	conn, err := l.pool.GetContext(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // back to the pool
	return do(conn)
}

// worthAsking reports whether Redis is up as far as known, or whether this call
// is the one that finds out.
func (l *Link) worthAsking(now time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.down {
		return true
	}
	if now < l.nextAt {
		return false
	}
	l.nextAt = now + askAgain
	return true
}

// learn notes how Redis answered.
func (l *Link) learn(ctx context.Context, err error, now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		if l.down {
			l.down = false
			l.with.Log.InfoContext(ctx, l.with.Up)
		}
		return
	}
	l.down, l.nextAt = true, now+askAgain
	if !l.told || now-l.toldAt >= tellAgain {
		l.told, l.toldAt = true, now
		l.with.Log.WarnContext(ctx, l.with.Down, "error", err)
	}
}
