package ratelimit

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

// The windows lie in shards, so that calls seldom wait for each other, and a
// shard keeps two generations of them: what was used lately and what was used
// before that. When the young generation is full the old one is forgotten.
// Nothing is ever searched for something to forget, memory is bounded, and
// whoever keeps calling keeps their window, however many others come and go.
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
	young, old map[caller]*window
}

func newMemory() *memory {
	return &memory{seed: maphash.MakeSeed()}
}

func (m *memory) take(_ context.Context, c caller, limit int, now time.Time) verdict {
	s := &m.shards[maphash.Comparable(m.seed, c)%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.window(c).take(now.UnixMicro(), limit)
}

func (s *shard) window(c caller) *window {
	if w, ok := s.young[c]; ok {
		return w
	}
	w, ok := s.old[c]
	delete(s.old, c)
	if !ok {
		w = new(window)
	}
	if s.young == nil || len(s.young) >= maxGeneration {
		s.old, s.young = s.young, make(map[caller]*window)
	}
	s.young[c] = w
	return w
}

func (m *memory) usage(_ context.Context, rates Rates, now time.Time) []Usage {
	var all []Usage
	for i := range m.shards {
		all = m.shards[i].usage(all, rates, now)
	}
	return all
}

func (s *shard) usage(all []Usage, rates Rates, now time.Time) []Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, generation := range []map[caller]*window{s.young, s.old} {
		for c, w := range generation {
			all = w.appendUsage(all, c, rates, now.UnixMicro())
		}
	}
	return all
}
