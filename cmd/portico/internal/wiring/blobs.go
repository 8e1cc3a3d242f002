package wiring

import (
	"path/filepath"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/storage/blobstore"
)

// BlobsDir is where bytes lie that go to no object store.
func BlobsDir(c config.Config) string { return filepath.Join(c.DataDir, "files") }

// AuditDir is where events lie that have been taken out of the audit trail.
func AuditDir(c config.Config) string { return filepath.Join(c.DataDir, "audit") }

// openBlobs opens where the bytes of files are kept: the bucket, when there is
// one, or the directory, which is made if it is not there. It asks the object
// store nothing.
func (p *Parts) openBlobs() (blobstore.Store, error) {
	c := p.Config
	if !c.S3.Used() {
		files, err := blobstore.OpenFiles(BlobsDir(c), p.Ambient)
		if err != nil {
			return nil, config.Blame("PORTICO_DATA_DIR", err)
		}
		p.closers = append(p.closers, files.Close)
		return files, nil
	}
	bucket, err := blobstore.OpenS3(blobstore.S3Options{
		Endpoint: c.S3.Endpoint, Bucket: c.S3.Bucket, Region: c.S3.Region,
		AccessKey: c.S3.AccessKey.Reveal(), SecretKey: c.S3.SecretKey.Reveal(),
	})
	if err != nil {
		return nil, config.Blame("PORTICO_S3_ENDPOINT", err)
	}
	return bucket, nil
}
