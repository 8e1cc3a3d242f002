package ratelimit_test

import (
	"bytes"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/ratelimit"
)

// house is a clock and a log that any number of servers share.
type house struct {
	source *ambient.Source
	clock  *ambient.FixedClock
	log    *journal
}

func newHouse() *house {
	source, clock := ambient.Fixed(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 1)
	return &house{source: source, clock: clock, log: &journal{}}
}

// server returns the limits of one server; an empty URL is one without Redis.
func (h *house) server(t *testing.T, rates ratelimit.Rates, redisURL string) *ratelimit.Limits {
	t.Helper()
	l, err := ratelimit.New(ratelimit.Options{
		Rates: rates, RedisURL: redisURL, Ambient: h.source, Log: slog.New(slog.NewTextHandler(h.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// allowed returns how many of n calls are let through, one after the other.
func allowed(t *testing.T, l *ratelimit.Limits, class ratelimit.Class, key string, n int) int {
	t.Helper()
	count := 0
	for range n {
		_, err := l.Allow(t.Context(), class, key)
		if err == nil {
			count++
			continue
		}
		if !fault.Is(err, fault.TooMany) {
			t.Fatalf("refused with %v, want too many", err)
		}
	}
	return count
}

// journal is a log to look into.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) count(words string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return bytes.Count(j.text.Bytes(), []byte(words))
}

// redisServer is a real one, on a socket in a directory of its own.
type redisServer struct {
	dir     string
	process *exec.Cmd
}

func newRedis(t *testing.T) *redisServer {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: needs redis-server")
	}
	dir, err := os.MkdirTemp("", "redis") // t.TempDir may be too long for the name of a socket
	if err != nil {
		t.Fatal(err)
	}
	r := &redisServer{dir: dir}
	t.Cleanup(func() {
		r.stop(t)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	r.start(t)
	return r
}

func (r *redisServer) url() string { return "unix://" + r.socket() }

func (r *redisServer) socket() string { return filepath.Join(r.dir, "socket") }

func (r *redisServer) start(t *testing.T) {
	t.Helper()
	r.process = exec.Command("redis-server", "--port", "0", "--unixsocket", r.socket(), "--save", "", "--dir", r.dir)
	if err := r.process.Start(); err != nil {
		t.Fatalf("redis-server can't be started (install the Debian package redis-server): %v", err)
	}
	for deadline := time.After(10 * time.Second); ; {
		conn, err := net.Dial("unix", r.socket())
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-deadline:
			t.Fatalf("redis-server does not come up: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (r *redisServer) stop(t *testing.T) {
	t.Helper()
	if r.process == nil {
		return
	}
	if err := r.process.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = r.process.Wait() // it was killed
	r.process = nil
	if err := os.Remove(r.socket()); err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
}
