package app

import (
	"context"
	"io"
	"time"

	"github.com/portico-id/portico/internal/app/blobs"
	"github.com/portico-id/portico/internal/app/config"
	"github.com/portico-id/portico/storage/blobstore"
)

// reachWithin is how long an object store has to answer at the start.
const reachWithin = 5 * time.Second

// openBlobs opens where the bytes of files are kept. An object store that can't
// be reached is no reason not to start: signing in does not need it.
func (p *parts) openBlobs(ctx context.Context, c config.Config) error {
	var err error
	if p.blobs, err = blobs.Open(c, p.ambient); err != nil {
		return err
	}
	bucket, ok := p.blobs.(*blobstore.S3)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	if err := bucket.Check(ctx); err != nil {
		p.log.WarnContext(ctx, "the object store can't be reached", "error", err)
	}
	return nil
}

// closeBlobs gives back what openBlobs took.
func (p *parts) closeBlobs() error {
	if closer, ok := p.blobs.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}
