package objects

import (
	"io"

	"github.com/portico-id/portico/storage/blobstore"
)

// incoming is a body that a client may take its time with. While it is read it
// is not the store's turn.
type incoming struct {
	io.Reader
	moves func(int)
	store *blobstore.Turn
}

func (b incoming) Read(p []byte) (int, error) {
	b.store.Pause()
	defer b.store.GoOn()
	n, err := b.Reader.Read(p)
	b.moves(n)
	return n, err
}
