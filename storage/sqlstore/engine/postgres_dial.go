package engine

import (
	"context"
	"net"
	"time"
)

const (
	// A host that vanished without a word is found out by asking: after so long
	// without a byte, so often, so many times. What was sent and is not
	// acknowledged for lostAfter was sent to nobody (Linux; elsewhere the limits
	// of acts end the waiting).
	keepAliveIdle     = 5 * time.Second
	keepAliveInterval = 2 * time.Second
	keepAliveCount    = 3
	lostAfter         = 4 * time.Second

	// cancelWithin is how long the server may take to hear, over a connection of
	// its own, that nobody waits for an answer any more.
	cancelWithin = time.Second
)

// dialer makes the connections that lib/pq speaks over.
type dialer struct{}

// forConnection is the key in a context of where a new connection is noted.
type forConnection struct{}

func (d dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

func (d dialer) DialTimeout(network, address string, limit time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return d.DialContext(ctx, network, address)
}

// DialContext implements pq.DialerContext. A connection that nobody is to note
// is lib/pq's own, to have a statement cancelled.
func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	noted, ours := ctx.Value(forConnection{}).(*wire)
	if !ours {
		return dialToCancel(ctx, network, address)
	}
	conn, err := lively().DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return conn, noted.note(conn)
}

func lively() *net.Dialer {
	return &net.Dialer{
		Control: abandonLost,
		KeepAliveConfig: net.KeepAliveConfig{
			Enable: true, Idle: keepAliveIdle, Interval: keepAliveInterval, Count: keepAliveCount,
		},
	}
}

func dialToCancel(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, cancelWithin)
	defer cancel()
	end, _ := ctx.Deadline()
	conn, err := lively().DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return brief{conn}, conn.SetDeadline(end)
}

// brief is a connection whose end is set.
type brief struct{ net.Conn }

func (brief) SetDeadline(time.Time) error { return nil }
