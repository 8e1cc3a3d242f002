package dpop

import (
	"crypto/sha256"
	"math"
	"sync"
	"time"
)

// Fresh is how old a proof may be, Ahead how much the clock of who made it may be.
const (
	Fresh = time.Minute
	Ahead = 10 * time.Second
)

// maxSeen is how many proofs a server remembers.
const maxSeen = 1_000_000

// mark stands for a proof in memory: no two keys share one for the same jti.
type mark [16]byte

func markOf(thumbprint, id string) (m mark) {
	sum := sha256.Sum256([]byte(thumbprint + "\n" + id))
	copy(m[:], sum[:])
	return m
}

// memory remembers the proofs that came for as long as they would be taken, by the
// time at which they were made. When it is full it forgets those that were made first,
// and takes none from that time any more: so a proof that it forgot is too old, and
// none counts twice however many come.
type memory struct {
	most int

	mu     sync.Mutex
	slots  map[int64]map[mark]struct{} // by when the proofs were made, in slots of time
	count  int
	closed int64 // slots up to this one are over
}

// slot is the span of time whose proofs are forgotten together, in seconds.
const slot = 5

func newMemory(most int) *memory {
	return &memory{most: most, slots: map[int64]map[mark]struct{}{}, closed: math.MinInt64}
}

// first keeps the mark of a proof and reports whether it is new, and not too old.
func (s *memory) first(m mark, madeAt float64, now time.Time) bool {
	number := int64(math.Floor(madeAt / slot))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reopen(now.Add(Ahead).Unix() / slot)
	s.close(now.Add(-Fresh-time.Second).Unix()/slot - 1)
	if number <= s.closed {
		return false
	}
	if _, known := s.slots[number][m]; known {
		return false
	}
	for s.count >= s.most {
		s.close(s.oldest())
		if number <= s.closed {
			return false
		}
	}
	if s.slots[number] == nil {
		s.slots[number] = map[mark]struct{}{}
	}
	s.slots[number][m] = struct{}{}
	s.count++
	return true
}

// reopen takes proofs again after the clock was put right: else those of this moment were
// of a time that is over until the time of day has caught up. What is made from then on
// was not taken before.
func (s *memory) reopen(latest int64) { s.closed = min(s.closed, latest) }

// close forgets the slots up to one, and takes nothing for them again.
func (s *memory) close(number int64) {
	if number <= s.closed {
		return
	}
	s.closed = number
	for n, marks := range s.slots {
		if n <= number {
			s.count -= len(marks)
			delete(s.slots, n)
		}
	}
}

func (s *memory) oldest() int64 {
	oldest := int64(math.MaxInt64)
	for n := range s.slots {
		oldest = min(oldest, n)
	}
	return oldest
}
