package objects

import (
	"context"
	"io"
	"time"
)

// storePatience is how long the store of bytes may do nothing while it is its
// turn.
const storePatience = 10 * time.Second

// joinPatience is how long the store may take to make one of all parts of an upload,
// of which it tells nothing on the way: S3 says that it may take minutes, and some
// services copy every byte.
const joinPatience = 10 * time.Minute

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

// longer gives it as long as joining parts takes.
func (t *turn) longer() { t.timer.Reset(joinPatience) }

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
