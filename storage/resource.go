package storage

import (
	"context"
	"slices"
	"time"
)

// Resource is a service that access tokens are for: what their aud names (RFC 8707).
type Resource struct {
	ID         string // for the addresses of pages; 22 characters, base64url
	Identifier string // an absolute URI, as it was registered
	Key        string // what it is compared by; unique
	Name       string

	Scopes        []string // that a token for it may have
	DefaultScopes []string // what of them a request is given that names none
	Everyone      bool     // every client may have tokens for it
	Clients       []string // ids of those that may otherwise
	ClientID      string   // its own client, which may introspect what it is sent; empty: it has none

	Algorithm   string        // that its tokens are signed with; empty: the client's
	Lifetime    time.Duration // of its tokens; 0: as long as others
	ProofNeeded bool          // its tokens are bound to a key or a certificate
	ACR         string        // how strongly people must have been proven; empty: somehow
	MaxAge      time.Duration // and how long ago at most; 0: whenever

	Disabled   bool
	TokensFrom time.Time // whatever was issued before counts no more
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Admits reports whether the client may have tokens for the resource.
func (r Resource) Admits(clientID string) bool {
	return !r.Disabled && (r.Everyone || slices.Contains(r.Clients, clientID))
}

// MaxResources is how many there may be: every server keeps all of them in memory.
const MaxResources = 500

// Reasons of the Conflict faults of ResourceStore.
const (
	ReasonResourceTaken = "resource_taken"
	ReasonResourcesFull = "resources_full"
)

// ResourceStore keeps the resources.
type ResourceStore interface {
	// CreateResource adds the resource; its tokens count from act.At. Conflict:
	// ReasonResourceTaken when another has the key, ReasonResourcesFull.
	CreateResource(ctx context.Context, act Act, resource Resource) error

	// FindResource returns the resource, disabled ones too, or NotFound.
	FindResource(ctx context.Context, id string) (Resource, error)

	// ListResources returns all resources, by name.
	ListResources(ctx context.Context) ([]Resource, error)

	// ResourceEnds returns until when resources had their addresses that were removed
	// or have another by now, in whole seconds and one more, for another server may give
	// by them that long: by what addresses are compared by.
	ResourceEnds(ctx context.Context) (map[string]time.Time, error)

	// PatchResource replaces everything but ID, Disabled, TokensFrom and CreatedAt, and
	// sets UpdatedAt to act.At; with SetResourceDisabled in one act, but for nil. NotFound;
	// Conflict as CreateResource, and ReasonChanged where UpdatedAt has moved on since the
	// resource was read.
	PatchResource(ctx context.Context, act Act, resource Resource, disabled *bool) error

	// SetResourceDisabled disables or enables the resource. Tokens of before, and of
	// the second in which it is disabled, stay ended when it is enabled again. NotFound.
	SetResourceDisabled(ctx context.Context, act Act, id string, disabled bool) error

	// DeleteResource removes the resource. NotFound.
	DeleteResource(ctx context.Context, act Act, id string) error
}
