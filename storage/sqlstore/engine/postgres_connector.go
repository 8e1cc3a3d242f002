package engine

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lib/pq"
)

// connector makes connections to the first host that takes them, beginning with
// the one that took the last.
type connector struct {
	now      func() (string, error) // the URL as it is now
	notices  func() (string, error) // that of the connection that notices come over; nil: they don't
	pooled   bool
	last     atomic.Int32
	patience atomic.Int64 // nanoseconds that an act without an end of its own waits for the server; 0: without end

	// age is raised when a connection turned out to be dead, or to lead to where
	// nothing can be written: those that are older are not used again.
	age atomic.Int64

	mu    sync.Mutex
	raw   string // the URL that hosts are of
	hosts []*pq.Connector
}

func newConnector(opts Options) (*connector, error) {
	c := &connector{now: opts.Now, notices: opts.Notices, pooled: opts.Pooled, raw: opts.URL}
	if c.now == nil {
		c.now = func() (string, error) { return opts.URL, nil }
	}
	if c.notices == nil && !c.pooled {
		c.notices = c.now
	}
	var err error
	c.hosts, err = hostsOf(opts.URL, opts.Pooled)
	return c, err
}

// hostsOf returns a connector to each host of a URL.
func hostsOf(raw string, pooled bool) ([]*pq.Connector, error) {
	config, err := postgresConfig(raw, pooled)
	if err != nil {
		return nil, err
	}
	var hosts []*pq.Connector
	for _, one := range eachHost(config) {
		host, err := pq.NewConnectorConfig(one)
		if err != nil {
			return nil, badURL("The database URL can't be used: " + err.Error() + ".")
		}
		host.Dialer(dialer{})
		hosts = append(hosts, host)
	}
	return hosts, nil
}

// current returns the hosts of the URL as it is now. One that can't be read, or
// makes no sense, as while somebody writes it, leaves those of before.
func (c *connector) current() []*pq.Connector {
	c.mu.Lock()
	defer c.mu.Unlock()
	raw, err := c.now()
	if err != nil || raw == c.raw || !strings.Contains(raw, "://") {
		return c.hosts
	}
	if hosts, err := hostsOf(raw, c.pooled); err == nil {
		c.raw, c.hosts = raw, hosts
	}
	return c.hosts
}

// Driver implements driver.Connector.
func (c *connector) Driver() driver.Driver { return pq.Driver{} }

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	var failures []error
	hosts, first := c.current(), int(c.last.Load())
	for i := range hosts {
		n := (first + i) % len(hosts)
		conn, err := c.connectTo(ctx, hosts[n])
		if err == nil {
			c.last.Store(int32(n)) // #nosec G115 -- nobody has so many hosts
			return conn, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

// connectTo ends with the context: lib/pq heeds it only while it dials.
func (c *connector) connectTo(ctx context.Context, host *pq.Connector) (driver.Conn, error) {
	w := new(wire)
	stop := context.AfterFunc(ctx, w.cut)
	defer stop()
	age := c.age.Load()
	conn, err := host.Connect(context.WithValue(ctx, forConnection{}, w))
	if err != nil {
		return nil, err
	}
	return &bounded{pqConn: conn.(pqConn), wire: w, of: c, age: age}, nil
}

// renew has every connection made anew.
func (c *connector) renew(age int64) { c.age.CompareAndSwap(age, age+1) }

// wire is what a connection goes over.
type wire struct {
	mu   sync.Mutex
	conn net.Conn // nil: not yet
	over bool
}

// note keeps the newest connection: lib/pq may try one with TLS and one without.
func (w *wire) note(conn net.Conn) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return errors.Join(context.DeadlineExceeded, conn.Close())
	}
	w.conn = conn
	return nil
}

// cut ends whatever waits for the other side.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	if w.conn != nil {
		_ = w.conn.Close()
	}
}
