package app

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/portico-id/portico/internal/app/config"
	"github.com/portico-id/portico/storage/blobstore"
)

// reachWithin is how long an object store has to answer at the start.
const reachWithin = 5 * time.Second

// openBlobs opens where the bytes of files are kept. An object store that can't
// be reached is no reason not to start: signing in does not need it.
func (p *parts) openBlobs(ctx context.Context, c config.Config) error {
	var err error
	if !c.S3.Used() {
		p.blobs, err = blobstore.OpenFiles(filepath.Join(c.DataDir, "files"), p.ambient)
		if err != nil {
			return fmt.Errorf("PORTICO_DATA_DIR: %w", err)
		}
		return nil
	}
	bucket, err := blobstore.OpenS3(blobstore.S3Options{
		Endpoint: c.S3.Endpoint, Bucket: c.S3.Bucket, Region: c.S3.Region,
		AccessKey: c.S3.AccessKey.Reveal(), SecretKey: c.S3.SecretKey.Reveal(),
	})
	if err != nil {
		return fmt.Errorf("PORTICO_S3_ENDPOINT: %w", err)
	}
	p.blobs = bucket
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
