package ratelimit

import (
	"context"
	_ "embed"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/redislink"
)

//go:embed window.lua
var windowScript string

const (
	keyPrefix = "portico:calls:"

	maxListed = 10_000 // windows that usage reads, about
)

// shared counts in Redis, by the time that Redis has: the clocks of servers differ.
// It is asked at the first call, and after each failure; from there on time goes
// by as it does here. While Redis does not answer it counts in this process.
type shared struct {
	link    *redislink.Link
	local   *memory
	script  *redis.Script
	ambient *ambient.Source

	mu      sync.Mutex
	known   bool
	theirs  int64         // what Redis said, in microseconds
	elapsed time.Duration // when it did
}

func newShared(o Options, local *memory) (*shared, error) {
	link, err := redislink.Open(redislink.Options{
		URL: o.RedisURL, Ambient: o.Ambient, Log: o.Log,
		Down: "Redis does not answer: this server counts rate limits by itself",
		Up:   "Redis answers again: rate limits are shared",
	})
	return &shared{link: link, local: local, script: redis.NewScript(1, windowScript), ambient: o.Ambient}, err
}

// ask lets do talk to Redis by its time.
func (s *shared) ask(ctx context.Context, do func(conn redis.Conn, now int64) error) bool {
	answered := s.link.Ask(ctx, func(conn redis.Conn) error {
		now, err := s.now(conn)
		if err != nil {
			return err
		}
		return do(conn, now)
	})
	if !answered {
		s.forget()
	}
	return answered
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

// forget has Redis asked for its time again: it may be another one, or this
// machine slept.
func (s *shared) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = false
}

func (s *shared) take(ctx context.Context, c caller, limit int, now time.Time) verdict {
	var said []int64
	answered := s.ask(ctx, func(conn redis.Conn, now int64) (err error) {
		said, err = redis.Int64s(s.script.Do(conn, keyPrefix+string(c.class)+":"+c.key, now, limit))
		return err
	})
	if !answered {
		return s.local.take(ctx, c, limit, now)
	}
	return verdict{said[0] == 1, int(said[1]), micros(said[2])}
}

func (s *shared) usage(ctx context.Context, rates Rates, now time.Time) (all []Usage) {
	answered := s.ask(ctx, func(conn redis.Conn, now int64) (err error) {
		all, err = listUsage(conn, rates, now)
		return err
	})
	if !answered {
		return s.local.usage(ctx, rates, now)
	}
	return all
}

func listUsage(conn redis.Conn, rates Rates, now int64) ([]Usage, error) {
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
