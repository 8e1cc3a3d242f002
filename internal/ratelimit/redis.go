package ratelimit

import (
	"context"
	_ "embed"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
)

//go:embed window.lua
var windowScript string

const (
	keyPrefix = "portico:calls:"

	// patience is how long Redis may take for anything before it counts as
	// down: far more than it needs, and little enough for a caller to wait.
	patience = 250 * time.Millisecond

	// Connections that lay idle for idleLimit are closed, so that none outlives
	// an outage, after which Redis is left alone for longer than that.
	idleLimit = 3 * time.Second
	maxConns  = 64

	maxListed = 10_000 // windows that usage reads, about
)

// shared counts in Redis, by the time that Redis has: the clocks of servers differ.
// It is asked at the first call, and after each failure; from there on time goes
// by as it does here.
type shared struct {
	pool    *redis.Pool
	script  *redis.Script
	ambient *ambient.Source

	mu      sync.Mutex
	known   bool
	theirs  int64         // what Redis said, in microseconds
	elapsed time.Duration // when it did
}

func newShared(rawURL string, source *ambient.Source) (*shared, error) {
	dial, err := dialer(rawURL)
	if err != nil {
		return nil, err
	}
	return &shared{
		pool: &redis.Pool{
			DialContext: dial,
			MaxIdle:     maxConns,
			MaxActive:   maxConns,
			IdleTimeout: idleLimit,
			Wait:        true,
		},
		script:  redis.NewScript(1, windowScript),
		ambient: source,
	}, nil
}

// dialer returns what connects to the URL. The URL may hold a password, so no
// error quotes it.
func dialer(rawURL string) (func(context.Context) (redis.Conn, error), error) {
	options := []redis.DialOption{
		redis.DialConnectTimeout(patience), redis.DialReadTimeout(patience), redis.DialWriteTimeout(patience),
	}
	u, err := url.Parse(rawURL)
	switch {
	case err == nil && u.Scheme == "unix" && u.Path != "":
		return func(ctx context.Context) (redis.Conn, error) {
			return redis.DialContext(ctx, "unix", u.Path, options...)
		}, nil
	case err == nil && (u.Scheme == "redis" || u.Scheme == "rediss") && u.Host != "":
		return func(ctx context.Context) (redis.Conn, error) {
			return redis.DialURLContext(ctx, rawURL, options...)
		}, nil
	}
	return nil, fault.New(fault.Invalid, "", "The URL of Redis must start with redis://, rediss:// or unix:// and name a host or a socket.")
}

// connect takes a connection. It does not heed the caller's end: a caller who
// went away is no reason to think that Redis is down.
func (s *shared) connect(ctx context.Context) (redis.Conn, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return s.pool.GetContext(ctx)
}

// now is the time that Redis has, in microseconds.
func (s *shared) now(conn redis.Conn) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	elapsed := s.ambient.Elapsed()
	if !s.known {
		said, err := redis.Int64s(conn.Do("TIME"))
		if err != nil {
			return 0, err
		}
		s.known, s.theirs, s.elapsed = true, said[0]*1e6+said[1], elapsed
	}
	return s.theirs + (elapsed - s.elapsed).Microseconds(), nil
}

// failed has Redis asked for its time again: it may be another one, or this
// machine slept.
func (s *shared) failed(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = false
	return err
}

func (s *shared) take(ctx context.Context, c caller, limit int) (verdict, error) {
	conn, err := s.connect(ctx)
	if err != nil {
		return verdict{}, s.failed(err)
	}
	defer func() { _ = conn.Close() }() // back to the pool
	now, err := s.now(conn)
	if err != nil {
		return verdict{}, err
	}
	said, err := redis.Int64s(s.script.Do(conn, keyPrefix+string(c.class)+":"+c.key, now, limit))
	if err != nil {
		return verdict{}, s.failed(err)
	}
	return verdict{said[0] == 1, int(said[1]), micros(said[2])}, nil
}

func (s *shared) usage(ctx context.Context, rates Rates) ([]Usage, error) {
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }() // back to the pool
	now, err := s.now(conn)
	if err != nil {
		return nil, err
	}
	var all []Usage
	for cursor := "0"; ; {
		page, err := redis.Values(conn.Do("SCAN", cursor, "MATCH", keyPrefix+"*", "COUNT", 1000))
		if err != nil {
			return nil, err
		}
		var keys []string
		if _, err := redis.Scan(page, &cursor, &keys); err != nil {
			return nil, err
		}
		found, err := readUsage(conn, keys, rates, now)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		if cursor == "0" || len(all) >= maxListed {
			return all, nil
		}
	}
}

func readUsage(conn redis.Conn, keys []string, rates Rates, now int64) ([]Usage, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	values, err := redis.Strings(conn.Do("MGET", redis.Args{}.AddFlat(keys)...))
	if err != nil {
		return nil, err
	}
	var all []Usage
	for i, key := range keys {
		class, name, _ := strings.Cut(strings.TrimPrefix(key, keyPrefix), ":")
		all = parseWindow(values[i]).appendUsage(all, caller{Class(class), name}, rates, now)
	}
	return all, nil
}
