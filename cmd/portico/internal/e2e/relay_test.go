package e2e

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// relay is an address that leads to the present server of a site, wherever that
// listens. It counts what goes through, and can hold it up.
type relay struct {
	listener net.Listener
	site     *site
	up, down direction
}

// direction is what goes one way.
type direction struct {
	passed atomic.Int64 // bytes

	mu   sync.Mutex
	left int64         // bytes that pass before held; below 0: all
	held chan struct{} // closed when there are none left
}

// newRelay returns a relay, and a site whose base URL it is.
func newRelay(t testing.TB, database string, settings ...string) (*relay, *site) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: listener, site: newSite(t, database,
		append(settings, "BASE_URL=http://"+listener.Addr().String())...)}
	r.up.pass()
	r.down.pass()
	t.Cleanup(func() { listener.Close() })
	go r.serve()
	return r, r.site
}

func (r *relay) serve() {
	for {
		from, err := r.listener.Accept()
		if err != nil {
			return
		}
		address, _ := r.site.address.Load().(string)
		to, err := net.Dial("tcp", address)
		if err != nil {
			from.Close() // the server is down
			continue
		}
		go join(to, from, &r.up)
		go join(from, to, &r.down)
	}
}

// join copies until either end closes, which closes both.
func join(to, from net.Conn, d *direction) {
	defer to.Close()
	defer from.Close()
	if d.unlimited() {
		d.splice(to, from)
		return
	}
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !d.take(int64(n)) {
			_, _ = io.Copy(io.Discard, from) // until whoever waits for more has gone
			return
		}
		if n > 0 {
			d.passed.Add(int64(n))
			if _, failed := to.Write(buffer[:n]); failed != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// splice copies without holding anything up: the kernel does, so that the relay
// takes no time from what is measured.
func (d *direction) splice(to, from net.Conn) {
	for {
		n, err := io.Copy(to, io.LimitReader(from, mebibyte))
		d.passed.Add(n)
		if err != nil || n < mebibyte {
			return
		}
	}
}

func (d *direction) unlimited() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.left < 0
}

// take reports whether so many bytes may pass.
func (d *direction) take(n int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left < 0 {
		return true
	}
	if d.left < n {
		select {
		case <-d.held:
		default:
			close(d.held)
		}
		return false
	}
	d.left -= n
	return true
}

// hold lets so many bytes pass and no more. The channel closes when they have.
func (d *direction) hold(after int64) <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.passed.Store(0)
	d.left, d.held = after, make(chan struct{})
	return d.held
}

// pass lets everything pass, and counts from the beginning.
func (d *direction) pass() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.passed.Store(0)
	d.left = -1
}
