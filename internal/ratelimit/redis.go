package ratelimit

import (
	"context"
	_ "embed"
	"net/url"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

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

// shared counts in Redis. The time comes from the caller: servers whose clocks
// differ by a second differ in their limits by a second's calls.
type shared struct {
	pool   *redis.Pool
	script *redis.Script
}

func newShared(rawURL string) (*shared, error) {
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
		script: redis.NewScript(1, windowScript),
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

func (s *shared) take(ctx context.Context, c caller, limit int, now time.Time) (verdict, error) {
	conn, err := s.connect(ctx)
	if err != nil {
		return verdict{}, err
	}
	defer func() { _ = conn.Close() }() // back to the pool
	said, err := redis.Int64s(s.script.Do(conn, keyPrefix+string(c.class)+":"+c.key, now.UnixMicro(), limit))
	if err != nil {
		return verdict{}, err
	}
	return verdict{said[0] == 1, int(said[1]), micros(said[2])}, nil
}

func (s *shared) usage(ctx context.Context, rates Rates, now time.Time) ([]Usage, error) {
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }() // back to the pool
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

func readUsage(conn redis.Conn, keys []string, rates Rates, now time.Time) ([]Usage, error) {
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
		all = parseWindow(values[i]).appendUsage(all, caller{Class(class), name}, rates, now.UnixMicro())
	}
	return all, nil
}
