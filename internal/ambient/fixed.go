package ambient

import (
	"math/rand/v2"
	"sync"
	"time"
)

// FixedClock is a clock for tests: it stands still until it is moved. It is
// safe for concurrent use.
type FixedClock struct {
	mu   sync.Mutex
	now  time.Time
	gone time.Duration
}

// Now returns the time the clock stands at.
func (c *FixedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock by d.
func (c *FixedClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.gone = c.now.Add(d), c.gone+d
}

// Step sets the clock by d, as somebody does who puts the time of day right: no time
// goes by.
func (c *FixedClock) Step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *FixedClock) elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

// lockedChaCha gives the same bytes for the same seed, to any number of
// goroutines.
type lockedChaCha struct {
	mu  sync.Mutex
	src *rand.ChaCha8
}

func (l *lockedChaCha) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.src.Read(p)
}

// Fixed returns a source for tests whose clock starts at the given time and
// whose randomness follows from the seed, together with the clock to move it.
func Fixed(start time.Time, seed byte) (*Source, *FixedClock) {
	clock := &FixedClock{now: start}
	var key [32]byte
	key[0] = seed
	source := New(clock.Now, &lockedChaCha{src: rand.NewChaCha8(key)})
	source.elapsed = clock.elapsed
	return source, clock
}
