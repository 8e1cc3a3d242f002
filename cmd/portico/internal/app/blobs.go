package app

import (
	"context"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/internal/antivirus"
	"github.com/portico-id/portico/storage/blobstore"
)

// reachWithin is how long an object store has to answer at the start.
const reachWithin = 5 * time.Second

// openBlobs opens where the bytes of files are kept. An object store that can't
// be reached is no reason not to start: signing in does not need it.
func (p *parts) openBlobs(ctx context.Context) error {
	var err error
	if p.blobs, err = p.Blobs(); err != nil {
		return err
	}
	bucket, ok := p.blobs.(*blobstore.S3)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	if err := bucket.Check(ctx); err != nil {
		p.Log.WarnContext(ctx, "the object store can't be reached", "error", err)
	}
	return nil
}

// openScanner makes what looks for viruses in what is uploaded, if there is a
// scanner to ask. Whether it answers shows when it is asked.
func (p *parts) openScanner(c config.Config) error {
	if c.Antivirus == "" {
		return nil
	}
	scanner, err := antivirus.Open(c.Antivirus)
	if err != nil {
		return config.Blame("PORTICO_ANTIVIRUS", err)
	}
	p.scanner = objects.NewScanner(objects.ScannerOptions{
		Store: p.Store, Blobs: p.blobs, Antivirus: scanner, Ambient: p.Ambient, Log: p.Log,
		Meanwhile: c.AntivirusMode == "serve",
	})
	return nil
}
