package provider

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// Documents are those of clients whose client_id is where one lies: *metadoc.Documents.
type Documents interface {
	// Admit has the client that the address describes sign somebody in, or refuses.
	Admit(ctx context.Context, act storage.Act, address string, mayFetch func() error) error

	// Supported reports whether any such clients are admitted.
	Supported() bool

	// Counts reports whether a client of the origin has not been shut out: one that no
	// document describes never is.
	Counts(origin string) bool
}

// noDocuments are those of nobody.
type noDocuments struct{}

func (noDocuments) Admit(context.Context, storage.Act, string, func() error) error { return errUnknown }
func (noDocuments) Supported() bool                                                { return false }
func (noDocuments) Counts(origin string) bool {
	return !clientprofile.Described(origin)
}

var errUnknown = fault.New(fault.Invalid, "invalid_client", "The app is not registered here, or it is disabled.")
