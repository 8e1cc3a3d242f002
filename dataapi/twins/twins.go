// Package twins is the endpoints of twins: what a facility is, the values of its
// elements and how they came about, and its documents, which are copies of files
// of the data half that stay right when the originals change (S2 4.5).
//
// Setting up facilities is package facilities', and what a PDF document is
// package pdf's. Start at New; mutate.go changes values, import.go brings
// documents in, follow.go keeps them current, ticket.go signs links.
package twins

import (
	"context"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// Store is what the endpoints read and change.
type Store interface {
	storage.ElementStore
	storage.DocumentStore
	FindFacility(ctx context.Context, caller storage.Caller, facilityID string) (storage.TwinPlace, error)
	ListTwinPlaces(ctx context.Context, caller storage.Caller, hubID string,
		page storage.PageRequest) ([]storage.TwinPlace, string, error)
	FindModel(ctx context.Context, caller storage.Caller, modelID string) (storage.TwinPlace, error)
	ListModels(ctx context.Context, facilityID string) ([]storage.TwinModel, error)
	FindObject(ctx context.Context, bucket, key string) (storage.Object, error)
}

// Options are what Handler is made of. Every field is needed.
type Options struct {
	Store     Store
	Blobs     blobstore.Store
	Originals access.Finder // who may read which files
	Ambient   *ambient.Source
	Bearer    *bearer.Authenticator
	Signer    *sealing.Ring // of links
	BaseURL   string        // prefix of every link, without a slash at its end
	Namespace string        // of URNs, such as portico
}

// Handler serves the endpoints. Its methods are the operations, on routes with
// the variables twinID, modelID, documentID and mutation; Area has
// them all. It is safe for concurrent use.
type Handler struct {
	store     Store
	blobs     blobstore.Store
	originals access.Finder
	ambient   *ambient.Source
	bearer    *bearer.Authenticator
	signer    *sealing.Ring
	base      string
	urn       urn.Space
	examining chan struct{} // bounds the memory of examining documents
}

// examiners is how many documents are examined at once, for all requests.
const examiners = 1

// New returns a Handler.
func New(o Options) *Handler {
	return &Handler{
		store: o.Store, blobs: o.Blobs, originals: o.Originals, ambient: o.Ambient, bearer: o.Bearer, signer: o.Signer,
		base: o.BaseURL, urn: urn.Space(o.Namespace), examining: make(chan struct{}, examiners),
	}
}
