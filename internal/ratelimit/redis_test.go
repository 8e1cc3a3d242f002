package ratelimit_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/redistest"
	"github.com/portico-id/portico/internal/ratelimit"
)

var ten = ratelimit.Rates{"token": 10}

// Rule: LIMIT-5
func TestServersShareALimitThroughRedis(t *testing.T) {
	h, redis := newHouse(), redistest.Start(t)
	one, two := h.server(t, ten, redis.URL()), h.server(t, ten, redis.URL())
	if got := allowed(t, one, "token", "client", 6) + allowed(t, two, "token", "client", 6); got != 10 {
		t.Errorf("two servers together allowed %d calls, want 10", got)
	}
	alone := h.server(t, ten, "")
	if got := allowed(t, alone, "token", "client", 12); got != 10 {
		t.Errorf("a server without Redis allowed %d calls, want 10 of its own", got)
	}
}

// Rule: LIMIT-5
func TestServersShareALimitThoughTheirClocksDiffer(t *testing.T) {
	h, late := newHouse(), newHouse()
	late.clock.Advance(time.Hour)
	redis := redistest.Start(t)
	one, two := h.server(t, ten, redis.URL()), late.server(t, ten, redis.URL())
	if got := allowed(t, one, "token", "client", 6) + allowed(t, two, "token", "client", 6) + allowed(t, one, "token",
		"client", 6); got != 10 {
		t.Errorf("together they allowed %d calls, want 10", got)
	}
}

// Rule: LIMIT-5
func TestWithoutRedisEveryServerCountsForItselfAndSaysSoOnceAMinute(t *testing.T) {
	h := newHouse()
	redis := redistest.Start(t)
	l := h.server(t, ten, redis.URL())
	allowed(t, l, "token", "client", 10)
	redis.Stop()
	if got := allowed(t, l, "token", "client", 12); got != 10 {
		t.Errorf("%d calls were allowed without Redis, want 10", got)
	}
	if len(l.Usage(t.Context(), 10)) != 1 {
		t.Error("the table of usage is empty without Redis")
	}
	for range 12 {
		h.clock.Advance(5 * time.Second)
		allowed(t, l, "token", "client", 2)
	}
	if got := h.log.count("counts rate limits by itself"); got != 2 {
		t.Errorf("the log has heard of it %d times in a minute and a moment, want 2", got)
	}
	redis.Go()
	h.clock.Advance(5 * time.Second)
	if got := allowed(t, l, "token", "client", 12); got != 10 {
		t.Errorf("%d calls were allowed after Redis came back empty, want 10", got)
	}
	if got := h.log.count("rate limits are shared"); got != 1 {
		t.Errorf("the log has heard %d times that Redis is back, want once", got)
	}
}

func TestARedisThatHangsHoldsUpOneCallAtMost(t *testing.T) {
	h := newHouse()
	socket, accepted := silence(t)
	l := h.server(t, ten, "unix://"+socket)
	if got := allowed(t, l, "token", "client", 12); got != 10 {
		t.Errorf("%d calls were allowed, want 10", got)
	}
	if len(accepted) != 1 {
		t.Errorf("Redis was asked %d times, want once until it answers", len(accepted))
	}
}

// silence accepts connections and never says a word.
func silence(t *testing.T) (socket string, accepted chan struct{}) {
	t.Helper()
	dir, err := os.MkdirTemp("", "redis")
	if err != nil {
		t.Fatal(err)
	}
	socket = filepath.Join(dir, "socket")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	accepted = make(chan struct{}, 100)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			accepted <- struct{}{}
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return socket, accepted
}

func TestABadRedisURLIsRefusedWithoutBeingShown(t *testing.T) {
	source, _ := ambient.Fixed(time.Time{}, 1)
	for _, url := range []string{"http://host:hunter2@redis", "redis://", "unix:", "redis:hunter2@host", "://hunter2",
		"redis://user:7/hunter2@host", "rediss://user:7/hunter2@host:6380/2", "redis://host/first",
		"redis://hunter2?x@host", "redis://user:7#hunter2@host", "redis://host?db=2", "unix:///run/redis.sock?db=2"} {
		_, err := ratelimit.New(ratelimit.Options{RedisURL: url, Ambient: source})
		if !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: error %v", url, err)
		}
	}
	for _, url := range []string{"redis://host", "redis://host:6379/", "rediss://user:secret@host:6380/2",
		"unix:///run/redis.sock"} {
		if _, err := ratelimit.New(ratelimit.Options{RedisURL: url, Ambient: source}); err != nil {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// Rules: LIMIT-5, SERVER-53
func TestRedisIsAskedAgainThoughTheClockWasPutRightMeanwhile(t *testing.T) {
	h, redis := newHouse(), redistest.Start(t)
	l := h.server(t, ten, redis.URL())
	redis.Stop()
	allowed(t, l, "token", "client", 1)
	h.clock.Step(-time.Hour)
	redis.Go()
	h.clock.Advance(5 * time.Second)
	allowed(t, l, "token", "client", 1)
	if got := h.log.count("rate limits are shared"); got != 1 {
		t.Errorf("the log has heard %d times that Redis is back, want once", got)
	}
}
