package engine

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"sync"
	"sync/atomic"

	"github.com/lib/pq"
)

// connector makes connections to the first host that takes them, beginning with
// the one that took the last.
type connector struct {
	hosts    []*pq.Connector
	last     atomic.Int32
	patience atomic.Int64 // nanoseconds that an act without an end of its own waits for the server; 0: without end

	// age is raised when a connection turned out to be dead, or to lead to where
	// nothing can be written: those that are older are not used again.
	age atomic.Int64
}

func newConnector(config pq.Config) (*connector, error) {
	c := new(connector)
	for _, one := range eachHost(config) {
		host, err := pq.NewConnectorConfig(one)
		if err != nil {
			return nil, err
		}
		host.Dialer(dialer{})
		c.hosts = append(c.hosts, host)
	}
	return c, nil
}

// Driver implements driver.Connector.
func (c *connector) Driver() driver.Driver { return c.hosts[0].Driver() }

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	var failures []error
	first := int(c.last.Load())
	for i := range c.hosts {
		n := (first + i) % len(c.hosts)
		conn, err := c.connectTo(ctx, c.hosts[n])
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
