package objects

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// Limits of a transfer. The server's own are for short requests; bytes take as
// long as they take, as long as they move.
const (
	patience  = 30 * time.Second
	leastMove = 16 << 10 // bytes that a client sends or takes in that time

	// storePatience is how long the store of bytes may do nothing while it is
	// its turn.
	storePatience = 10 * time.Second
)

// longAgo is a deadline that has passed, for every clock.
var longAgo = time.Unix(1, 0)

// unhurried lifts the server's limits from a request, and ends it when too
// little moves: moves is to be told how many bytes have, done at the end.
func unhurried(w http.ResponseWriter) (moves func(int), done func()) {
	connection := http.NewResponseController(w)
	// They fail where there is no connection, and so no waiting for one.
	_ = connection.SetReadDeadline(time.Time{})
	_ = connection.SetWriteDeadline(time.Time{})
	var moved atomic.Int64
	stop := every(patience, func() {
		if moved.Swap(0) < leastMove {
			_ = connection.SetReadDeadline(longAgo)
			_ = connection.SetWriteDeadline(longAgo)
		}
	})
	return func(n int) { moved.Add(int64(n)) }, stop
}

// every looks again and again until it is stopped.
func every(interval time.Duration, look func()) (stop func()) {
	ticker, stopped := time.NewTicker(interval), make(chan struct{})
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-stopped:
				return
			case <-ticker.C:
				look()
			}
		}
	}()
	return func() { close(stopped) }
}

// turn is the store's turn to do something, which it may not take too long over.
type turn struct {
	timer *time.Timer
	done  func()
}

// takeTurn begins the store's turn. The context ends when it is over.
func takeTurn(ctx context.Context) (context.Context, *turn) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(storePatience, func() { cancel(context.DeadlineExceeded) })
	return ctx, &turn{timer, func() { timer.Stop(); cancel(nil) }}
}

// goOn gives the store its time anew: it has done something.
func (t *turn) goOn() { t.timer.Reset(storePatience) }

// without lifts the server's limits from a request that takes us long, not the
// client.
func without(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
}

// incoming is a body that a client may take its time with. While it is read it
// is not the store's turn.
type incoming struct {
	io.Reader
	moves func(int)
	store *turn
}

func (b incoming) Read(p []byte) (int, error) {
	b.store.timer.Stop()
	defer b.store.goOn()
	n, err := b.Reader.Read(p)
	b.moves(n)
	return n, err
}

// outgoing is an answer that a client may take its time with.
type outgoing struct {
	http.ResponseWriter
	moves func(int)
}

func (a outgoing) Write(p []byte) (int, error) {
	n, err := a.ResponseWriter.Write(p)
	a.moves(n)
	return n, err
}
