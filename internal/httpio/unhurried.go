package httpio

import (
	"net/http"
	"sync/atomic"
	"time"
)

// Limits of a transfer. The server's own are for short requests; bytes take as
// long as they take, as long as they move.
const (
	patience  = 30 * time.Second
	leastMove = 16 << 10 // bytes that a client sends or takes in that time
)

// Unhurried lifts the server's limits from a request, and ends it when too
// little moves: moves is to be told how many bytes have, done at the end.
func Unhurried(w http.ResponseWriter) (moves func(int), done func()) {
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

// PassOver takes what is left of a body, as long as it moves, and keeps none of it: a
// browser shows no answer before it has sent all.
func PassOver(w http.ResponseWriter, r *http.Request) {
	buffer, connection := make([]byte, leastMove), http.NewResponseController(w)
	late := time.AfterFunc(patience, func() { _ = connection.SetReadDeadline(longAgo) }) // a page may have lifted it
	_, err := r.Body.Read(buffer[:1])
	if late.Stop(); err != nil { // nothing is left
		return
	}
	moves, done := Unhurried(w)
	defer done()
	for {
		n, err := r.Body.Read(buffer)
		if moves(n); err != nil {
			return
		}
	}
}

// AtLeisure lifts the server's limits from a request that takes us long, not the
// client.
func AtLeisure(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
}

// Leisurely is Unhurried for an answer that a client may take its time with, as long
// as it takes some of it; done at the end.
func Leisurely(w http.ResponseWriter) (out http.ResponseWriter, done func()) {
	moves, done := Unhurried(w)
	return outgoing{w, moves}, done
}

type outgoing struct {
	http.ResponseWriter
	moves func(int)
}

func (a outgoing) Write(p []byte) (int, error) {
	n, err := a.ResponseWriter.Write(p)
	a.moves(n)
	return n, err
}

// Piecemeal is an answer of which each piece has its time to arrive, and the next may
// take us as long as it likes: what is cut off must not look complete.
func Piecemeal(w http.ResponseWriter, now func() time.Time) http.ResponseWriter {
	return pieces{w, http.NewResponseController(w), now}
}

type pieces struct {
	http.ResponseWriter
	connection *http.ResponseController
	now        func() time.Time
}

func (a pieces) Write(piece []byte) (int, error) {
	_ = a.connection.SetWriteDeadline(a.now().Add(patience)) // not every connection has one
	return a.ResponseWriter.Write(piece)
}
