// Package blobs opens where the bytes of files are kept, as the settings say: for
// the server, and for the commands that look at the same bytes beside it. What
// is kept there, and how, is storage/blobstore. Start at Open.
package blobs

import (
	"fmt"
	"path/filepath"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage/blobstore"
)

// Dir is where bytes lie that go to no object store.
func Dir(c config.Config) string { return filepath.Join(c.DataDir, "files") }

// Open returns the bucket, when there is one, or the directory, which is made if
// it is not there. It asks the object store nothing. A store that is an io.Closer
// wants to be closed.
func Open(c config.Config, source *ambient.Source) (blobstore.Store, error) {
	if !c.S3.Used() {
		files, err := blobstore.OpenFiles(Dir(c), source)
		if err != nil {
			return nil, fmt.Errorf("PORTICO_DATA_DIR: %w", err)
		}
		return files, nil
	}
	bucket, err := blobstore.OpenS3(blobstore.S3Options{
		Endpoint: c.S3.Endpoint, Bucket: c.S3.Bucket, Region: c.S3.Region,
		AccessKey: c.S3.AccessKey.Reveal(), SecretKey: c.S3.SecretKey.Reveal(),
	})
	if err != nil {
		return nil, fmt.Errorf("PORTICO_S3_ENDPOINT: %w", err)
	}
	return bucket, nil
}
