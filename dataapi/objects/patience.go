package objects

import (
	"io"
	"net/http"
	"time"
)

// patience is how long a client may send or take nothing at all. The server's
// own limits are for short requests; bytes take as long as they take.
const patience = 30 * time.Second

// longAgo is a deadline that has passed, for every clock.
var longAgo = time.Unix(1, 0)

// unhurried lifts the server's limits from a request, and ends it when nothing
// moves for long: moves is to be called whenever something has, done at the end.
func unhurried(w http.ResponseWriter) (moves, done func()) {
	connection := http.NewResponseController(w)
	// They fail where there is no connection, and so no waiting for one.
	_ = connection.SetReadDeadline(time.Time{})
	_ = connection.SetWriteDeadline(time.Time{})
	timer := time.AfterFunc(patience, func() {
		_ = connection.SetReadDeadline(longAgo)
		_ = connection.SetWriteDeadline(longAgo)
	})
	return func() { timer.Reset(patience) }, func() { timer.Stop() }
}

// without lifts the server's limits from a request that takes us long, not the
// client.
func without(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
}

// incoming is a body that a client may take its time with.
type incoming struct {
	io.Reader
	moves func()
}

func (b incoming) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if n > 0 {
		b.moves()
	}
	return n, err
}

// outgoing is an answer that a client may take its time with.
type outgoing struct {
	http.ResponseWriter
	moves func()
}

func (a outgoing) Write(p []byte) (int, error) {
	n, err := a.ResponseWriter.Write(p)
	if n > 0 {
		a.moves()
	}
	return n, err
}
