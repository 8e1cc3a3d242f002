package serviceaccounts

import (
	"context"
	"crypto/rsa"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
)

// keyBits is the size of every key (S1 section 8).
const keyBits = 2048

// keyPool makes key pairs ahead, because one takes a tenth of a second. One
// goroutine refills it, one pair at a time; with a full pool it only waits. It
// begins once the server has come to rest or the first pair was taken: a start
// has other work for its processors.
type keyPool struct {
	pair   func() (*rsa.PrivateKey, error) // makes one
	log    *slog.Logger
	ready  chan *rsa.PrivateKey // as many as are made ahead
	wanted chan struct{}        // something was taken
	making chan struct{}        // holds a place for each pair that is being made on request
	done   chan struct{}
	work   sync.WaitGroup
	end    sync.Once
}

// rest is how long after a start pairs are not made ahead, unless one is taken.
const rest = 30 * time.Second

// newKeyPool returns a pool of the size, which rests first; one without room
// makes each pair when it is asked for.
func newKeyPool(size int, rest time.Duration, pair func() (*rsa.PrivateKey, error), log *slog.Logger) *keyPool {
	p := &keyPool{
		pair:   pair,
		log:    log,
		ready:  make(chan *rsa.PrivateKey, max(size, 0)),
		wanted: make(chan struct{}, 1),
		making: make(chan struct{}, makers()),
		done:   make(chan struct{}),
	}
	if size > 0 {
		p.work.Go(func() { p.refill(time.After(rest)) })
	}
	return p
}

// atRandom returns what makes key pairs for a server.
func atRandom(source *ambient.Source) func() (*rsa.PrivateKey, error) {
	return func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(source.Random(), keyBits) }
}

// makers is how many pairs are made on request at once: one fewer than there
// are processors, so that one is always left for other work, and at least one.
func makers() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// patience is how long a request waits for its pair while others are made.
const patience = 5 * time.Second

// take returns a pair at once, or makes one when none is ready. Where many want
// one they wait for each other, and after patience they are told to come again:
// making keys must not starve the rest of the server. Whoever's turn it is asks
// again whether there is still need: others may have used up the room.
func (p *keyPool) take(ctx context.Context, need func() error) (*rsa.PrivateKey, error) {
	defer p.nudge()
	select {
	case pair := <-p.ready:
		return pair, nil
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case pair := <-p.ready:
		return pair, nil
	case p.making <- struct{}{}:
		defer func() { <-p.making }()
		if err := need(); err != nil {
			return nil, err
		}
		return p.pair()
	case <-ctx.Done():
		return nil, fault.New(fault.Unavailable, "busy",
			"Too many keys are being made at once. Try again in a moment.").After(time.Second)
	}
}

func (p *keyPool) nudge() {
	select {
	case p.wanted <- struct{}{}:
	default: // it has been told already
	}
}

// refill fills the pool once it has rested, and whenever something was taken from it.
func (p *keyPool) refill(rested <-chan time.Time) {
	for {
		select {
		case <-rested:
		case <-p.wanted:
		case <-p.done:
			return
		}
		if err := p.fill(); err != nil {
			p.log.Warn("making a key pair ahead failed", "error", err)
		}
	}
}

func (p *keyPool) fill() error {
	for len(p.ready) < cap(p.ready) {
		select {
		case <-p.done:
			return nil
		default:
		}
		pair, err := p.pair()
		if err != nil {
			return err
		}
		p.ready <- pair // nobody else puts one in, so there is room
	}
	return nil
}

// close stops the refilling and waits for the pair that is being made.
func (p *keyPool) close() {
	p.end.Do(func() { close(p.done) })
	p.work.Wait()
}
