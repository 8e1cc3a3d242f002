package ratelimit

import (
	"context"
	"hash/maphash"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// The buckets lie in shards, so that calls seldom wait for each other, and a
// shard keeps two generations of them: what was used lately and what was used
// before that. When the young generation is full the old one is forgotten.
// Nothing is ever searched for something to forget, memory is bounded, and
// whoever keeps calling keeps their bucket, however many others come and go.
const (
	shards        = 64
	maxGeneration = 512
)

// memory counts in this process.
type memory struct {
	seed   maphash.Seed
	shards [shards]shard
}

type shard struct {
	mu         sync.Mutex
	young, old map[bucket]*rate.Limiter
}

func newMemory() *memory {
	return &memory{seed: maphash.MakeSeed()}
}

func (m *memory) take(_ context.Context, b bucket, perMinute int, now time.Time) time.Duration {
	limiter := m.shard(b).limiter(b, perMinute)
	if limiter.AllowN(now, 1) {
		return 0
	}
	missing := 1 - limiter.TokensAt(now)
	return max(time.Duration(missing/float64(limiter.Limit())*float64(time.Second)), time.Microsecond)
}

func (m *memory) shard(b bucket) *shard {
	return &m.shards[maphash.Comparable(m.seed, b)%shards]
}

func (s *shard) limiter(b bucket, perMinute int) *rate.Limiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if limiter, ok := s.young[b]; ok {
		return limiter
	}
	limiter, ok := s.old[b]
	delete(s.old, b)
	if !ok {
		limiter = rate.NewLimiter(rate.Limit(perMinute)/60, perMinute)
	}
	if s.young == nil || len(s.young) >= maxGeneration {
		s.old, s.young = s.young, make(map[bucket]*rate.Limiter)
	}
	s.young[b] = limiter
	return limiter
}

func (m *memory) usage(_ context.Context, _ Rates, now time.Time) []Usage {
	var all []Usage
	for i := range m.shards {
		all = m.shards[i].usage(all, now)
	}
	return all
}

func (s *shard) usage(all []Usage, now time.Time) []Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, generation := range []map[bucket]*rate.Limiter{s.young, s.old} {
		for b, limiter := range generation {
			used := int(math.Ceil(float64(limiter.Burst()) - limiter.TokensAt(now)))
			if used > 0 {
				all = append(all, Usage{Class: b.class, Key: b.key, Used: used, Limit: limiter.Burst()})
			}
		}
	}
	return all
}
