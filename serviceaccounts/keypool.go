package serviceaccounts

import (
	"crypto/rsa"
	"io"
	"log/slog"
	"sync"
)

// keyBits is the size of every key (S1 section 8).
const keyBits = 2048

// keyPool makes key pairs ahead, because one takes a tenth of a second. One
// goroutine refills it, one pair at a time; with a full pool it only waits.
type keyPool struct {
	random io.Reader
	log    *slog.Logger
	ready  chan *rsa.PrivateKey // as many as are made ahead
	wanted chan struct{}        // something was taken
	done   chan struct{}
	work   sync.WaitGroup
	end    sync.Once
}

// newKeyPool returns a pool of the size; one without room makes each pair when
// it is asked for.
func newKeyPool(size int, random io.Reader, log *slog.Logger) *keyPool {
	p := &keyPool{
		random: random,
		log:    log,
		ready:  make(chan *rsa.PrivateKey, max(size, 0)),
		wanted: make(chan struct{}, 1),
		done:   make(chan struct{}),
	}
	if size > 0 {
		p.work.Go(p.refill)
	}
	return p
}

// take returns a pair at once, or makes one when none is ready: nobody waits
// for longer than one takes.
func (p *keyPool) take() (*rsa.PrivateKey, error) {
	defer p.nudge()
	select {
	case pair := <-p.ready:
		return pair, nil
	default:
		return p.generate()
	}
}

func (p *keyPool) nudge() {
	select {
	case p.wanted <- struct{}{}:
	default: // it has been told already
	}
}

func (p *keyPool) generate() (*rsa.PrivateKey, error) {
	return rsa.GenerateKey(p.random, keyBits)
}

// refill fills the pool and waits until something is taken from it.
func (p *keyPool) refill() {
	for {
		if err := p.fill(); err != nil {
			p.log.Warn("making a key pair ahead failed", "error", err)
		}
		select {
		case <-p.wanted:
		case <-p.done:
			return
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
		pair, err := p.generate()
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
