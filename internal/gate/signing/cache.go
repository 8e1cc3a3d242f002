package signing

import (
	"crypto/sha256"
	"sync"
	"sync/atomic"
)

// verified is an access token whose signature was found good.
type verified struct {
	kid    string
	claims AccessClaims
}

// name stands for a token in the cache; the token itself is not kept.
type name [sha256.Size]byte

func nameOf(token string) name { return sha256.Sum256([]byte(token)) }

const shards = 16

// cache remembers a bounded number of verified tokens, about the most recently
// used ones. Each shard has a young and an old half: a full young half becomes
// the old one, and what is still in use moves back. That needs no clock, no
// goroutine and no list, and is empty while nothing is verified.
type cache struct {
	shards [shards]shard
	half   int // entries of one half of one shard
}

type shard struct {
	mu         sync.Mutex
	young, old map[name]verified
}

func newCache(size int) *cache { return &cache{half: size / shards / 2} }

func (c *cache) get(n name) (verified, bool) {
	s := &c.shards[n[0]%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.young[n]; ok {
		return v, true
	}
	v, ok := s.old[n]
	if ok {
		s.put(n, v, c.half)
	}
	return v, ok
}

func (c *cache) put(n name, v verified) {
	s := &c.shards[n[0]%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(n, v, c.half)
}

func (s *shard) put(n name, v verified, half int) {
	if s.young == nil || len(s.young) >= half {
		s.young, s.old = map[name]verified{}, s.young
	}
	s.young[n] = v
}

// lookups counts how often a token was known, and how often not.
type lookups struct{ known, unknown atomic.Uint64 }

func (l *lookups) count(known bool) {
	if known {
		l.known.Add(1)
	} else {
		l.unknown.Add(1)
	}
}
