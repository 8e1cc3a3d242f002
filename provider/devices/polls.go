package devices

import (
	"maps"
	"sync"
	"time"
)

// What a device is told about its codes.
const (
	Lifetime = 10 * time.Minute
	Interval = 5 * time.Second
)

// polls remember when devices asked last, in this process: asking writes nothing.
type polls struct {
	mu   sync.Mutex
	seen map[string]poll
}

type poll struct {
	at    time.Time
	every time.Duration
}

// maxPolls bounds the memory. With more devices than that the ones that come last may
// ask as often as they like.
const maxPolls = 10_000

// tooSoon notes that a device asks, and reports whether it should have waited: then it
// has to wait longer from now on (RFC 8628 section 3.5). A tenth of the time is left
// to clocks and networks.
func (p *polls) tooSoon(device string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, known := p.seen[device]
	if !known {
		last.every = Interval
	}
	soon := known && now.Sub(last.at) < last.every*9/10
	if soon {
		last.every += Interval
	}
	last.at = now
	if len(p.seen) >= maxPolls {
		maps.DeleteFunc(p.seen, func(_ string, old poll) bool { return now.Sub(old.at) > Lifetime })
	}
	if known || len(p.seen) < maxPolls {
		p.seen[device] = last
	}
	return soon
}
