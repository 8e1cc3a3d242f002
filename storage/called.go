package storage

import "context"

// Called is what something is called that the audit trail tells of by its id.
type Called struct {
	ID   string
	Kind CalledKind
	Name string // of a person without a name their address
}

// CalledKind is what sort of thing it is.
type CalledKind string

// The kinds.
const (
	CalledUser           CalledKind = "user"
	CalledClient         CalledKind = "client"
	CalledGroup          CalledKind = "group"
	CalledServiceAccount CalledKind = "service_account"
)

// CalledStore knows what is called how.
type CalledStore interface {
	// ListCalled returns what of the ids people, clients, groups and service accounts
	// are called, in no order. What is gone, or something else, is passed over.
	ListCalled(ctx context.Context, ids []string) ([]Called, error)
}
