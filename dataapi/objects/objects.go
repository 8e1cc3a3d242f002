// Package objects is how bytes come and go: the endpoints under /oss/v2, which
// existing clients of the API family know, and the server's own signed
// addresses.
//
// It knows objects, not folders: who may do what is package access's. Where the
// bytes lie is blobstore's business. Start at New; upload.go and complete.go are
// an upload from its beginning to its end, download.go and serve.go the way
// back, ticket.go the signed addresses.
package objects

import (
	"context"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// MaxObject is the largest object, in bytes, where its project has no limit of
// its own: what S3 takes.
const MaxObject = 5 << 40

// Store is what the endpoints read and change.
type Store interface {
	FindObject(ctx context.Context, bucket, key string) (storage.Object, error)
	StoreBytes(ctx context.Context, change storage.Change, bucket, key string, bytes storage.Bytes) (storage.Object, error)
	BeginUpload(ctx context.Context, change storage.Change, upload storage.Upload) error
	FindUpload(ctx context.Context, bucket, key, id string, now time.Time) (storage.Upload, error)
	HoldBytes(ctx context.Context, id string, size int64) error
	EndUpload(ctx context.Context, id string) (bool, error)
	FindLimits(ctx context.Context, projectID string) (storage.Limits, error)
}

// Options are what Handler is made of. Every field but Scanner is needed.
type Options struct {
	Store     Store
	Blobs     blobstore.Store
	Rights    access.Finder // who may what with the bytes
	Ambient   *ambient.Source
	Bearer    *bearer.Authenticator
	Signer    *sealing.Ring // of the server's own addresses
	BaseURL   string        // prefix of every link, without a slash at its end
	Namespace string        // of URNs, such as portico
	Scanner   *Scanner      // looks for viruses in what is uploaded; may be nil
	Waits     string        // the folder in which parts of forms wait; empty: the system's own for what passes
}

// Handler serves the endpoints. Its methods are the operations, on routes with
// the variables bucket_key and object_key, or ticket. It is safe for concurrent
// use.
type Handler struct {
	store   Store
	blobs   blobstore.Store
	rights  access.Finder
	ambient *ambient.Source
	bearer  *bearer.Authenticator
	signer  *sealing.Ring
	base    string
	urn     urn.Space
	scanner *Scanner
	waits   string

	// completing lets requests that complete the same upload share the work.
	completing singleflight.Group
}

// New returns a Handler.
func New(o Options) *Handler {
	return &Handler{
		store: o.Store, blobs: o.Blobs, rights: o.Rights, ambient: o.Ambient, bearer: o.Bearer, signer: o.Signer,
		base: o.BaseURL, urn: urn.Space(o.Namespace), scanner: o.Scanner, waits: o.Waits,
	}
}
