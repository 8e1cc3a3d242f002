package engine

import (
	"context"
	"database/sql/driver"
	"net"
	"testing"
	"time"
)

// silent is a connection to a server that says nothing, and what tells when it
// is cut.
func silent(t *testing.T, patience time.Duration) (c *bounded, cut <-chan struct{}) {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = theirs.Close() })
	c = &bounded{wire: &wire{conn: ours}, of: &connector{}}
	c.of.patience.Store(int64(patience))
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = theirs.Read(make([]byte, 1))
	}()
	return c, over
}

func cutWithin(t *testing.T, cut <-chan struct{}, limit time.Duration) bool {
	t.Helper()
	select {
	case <-cut:
		return true
	case <-time.After(limit):
		return false
	}
}

// Rule: SERVER-31
func TestAServerThatSaysNothingIsWaitedForNoLongerThanTheContext(t *testing.T) {
	t.Parallel()
	// As middleware.Limit ends a request: nobody knows before when.
	ctx, cancel := context.WithCancelCause(t.Context())
	c, cut := silent(t, time.Hour)
	done := c.watch(ctx)
	defer done()
	cancel(context.DeadlineExceeded)
	if !cutWithin(t, cut, cancelWithin+5*time.Second) {
		t.Error("the connection of a request that is over is waited for")
	}

	c, cut = silent(t, 50*time.Millisecond)
	defer c.watch(t.Context())()
	if !cutWithin(t, cut, 5*time.Second) {
		t.Error("nothing ends an act without a limit")
	}
}

// Rule: SERVER-31
func TestAnActThatMayTakeItsTimeIsNotCut(t *testing.T) {
	t.Parallel()
	c, cut := silent(t, 50*time.Millisecond)
	ctx, cancel := context.WithCancel(Unhurried(t.Context()))
	defer c.watch(ctx)()
	if cutWithin(t, cut, 300*time.Millisecond) {
		t.Error("its connection is cut")
	}
	cancel()
	if !cutWithin(t, cut, cancelWithin+5*time.Second) {
		t.Error("its connection is waited for after its end")
	}
}

// endless is a COPY that the server never has a word on.
type endless struct {
	driver.Stmt
	cut <-chan struct{}
}

func (e endless) Close() error { <-e.cut; return driver.ErrBadConn }

// Rule: SERVER-31
func TestTheEndOfACopyIsWaitedForNoLongerThanTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c, cut := silent(t, time.Hour)
	copying := &boundedCopy{endless{cut: cut}, c, ctx}
	cancel()
	closed := make(chan struct{})
	go func() { defer close(closed); _ = copying.Close() }()
	if !cutWithin(t, closed, cancelWithin+5*time.Second) {
		t.Error("a COPY that was broken off is waited for")
	}
}

// gone is a connection that the other side ended.
type gone struct{ pqConn }

func (gone) Close() error { return net.ErrClosed }

// Rule: SERVER-31
func TestAConnectionThatTheOtherSideEndedClosesWithoutAComplaint(t *testing.T) {
	t.Parallel()
	if err := (&bounded{pqConn: gone{}}).Close(); err != nil {
		t.Errorf("a server that stops after its database did fails: %v", err)
	}
}
