package blobstore

import (
	"context"
	"io"
	"time"
)

const (
	// patience is how long a store may do nothing while it is its turn.
	patience = 10 * time.Second

	// joinPatience is how long it may take to make one of all parts of an upload, of
	// which it tells nothing on the way: S3 says that it may take minutes, and some
	// services copy every byte.
	joinPatience = 10 * time.Minute
)

// Turn is a store's turn to do something, which it may not take too long over.
type Turn struct {
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// TakeTurn begins the store's turn. The context ends when it is over.
func TakeTurn(ctx context.Context) (context.Context, *Turn) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &Turn{time.AfterFunc(patience, func() { cancel(context.DeadlineExceeded) }), cancel}
}

// GoOn gives the store its time anew: it has done something.
func (t *Turn) GoOn() { t.timer.Reset(patience) }

// Longer gives it as long as joining parts takes.
func (t *Turn) Longer() { t.timer.Reset(joinPatience) }

// Pause says that it is somebody else's turn, until GoOn.
func (t *Turn) Pause() { t.timer.Stop() }

// Done ends the turn, and its context.
func (t *Turn) Done() {
	t.timer.Stop()
	t.cancel(nil)
}

// Going is what a store gives, or takes: each time that more of it is read the store has
// done something.
func (t *Turn) Going(from io.Reader) io.Reader { return going{from, t} }

type going struct {
	io.Reader
	turn *Turn
}

func (g going) Read(p []byte) (int, error) {
	n, err := g.Reader.Read(p)
	g.turn.GoOn()
	return n, err
}
