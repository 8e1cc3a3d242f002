package directory

import (
	"errors"
	"net"
	"sync/atomic"
)

// maxAnswer is how many bytes are read of what a directory says to one request: more than
// a page of people, or of groups with their members, has.
const maxAnswer = 32 << 20

var errTooMuch = errors.New("the directory says more than anybody asked for")

// capped is a connection on which no answer is endless: of what comes between two requests
// little is read. The library would take a packet of two gigabytes.
type capped struct {
	net.Conn

	read atomic.Int64 // since the last request
	sent atomic.Int64 // requests
}

func (c *capped) Write(p []byte) (int, error) {
	c.read.Store(0)
	c.sent.Add(1)
	return c.Conn.Write(p)
}

func (c *capped) Read(p []byte) (int, error) {
	if c.read.Load() > maxAnswer {
		return 0, errTooMuch
	}
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}
