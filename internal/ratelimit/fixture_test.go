package ratelimit_test

import (
	"bytes"
	"log/slog"
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
