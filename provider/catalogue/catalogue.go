// Package catalogue is how resources are registered: what one may be, for the command
// line, for /admin/v1/resources and for the pages of administrators.
//
// What follows from one that is registered is not here (provider/resources). Start at
// Catalogue.Create; check.go says what a resource may be, api.go are the operations,
// desk.go the pages.
package catalogue

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// ReasonNoResource is the reason of the NotFound of a resource.
const ReasonNoResource = "resource_not_found"

// The sources of faults: the fields.
const (
	FieldResource  = "resource"
	FieldName      = "name"
	FieldScope     = "scope"
	FieldDefault   = "default_scope"
	FieldClients   = "clients"
	FieldClientID  = "client_id"
	FieldAlgorithm = "signing_alg"
	FieldLifetime  = "lifetime"
	FieldACR       = "acr"
	FieldMaxAge    = "max_age"
)

// Store is what a Catalogue keeps and looks up.
type Store interface {
	storage.ResourceStore

	// FindClient is of storage.ClientStore.
	FindClient(ctx context.Context, id string) (storage.Client, error)
}

// Catalogue registers resources and changes them. It is safe for concurrent use.
type Catalogue struct {
	store   Store
	ambient *ambient.Source
}

// New returns a Catalogue over the store.
func New(store Store, source *ambient.Source) *Catalogue { return &Catalogue{store, source} }

// Change says what of a resource is to be different; nil leaves a field alone. It is
// the body of the API as well.
type Change struct {
	Resource     *string   `json:"resource"`
	Name         *string   `json:"name"`
	Scope        *string   `json:"scope"`
	DefaultScope *string   `json:"default_scope"`
	Everyone     *bool     `json:"everyone"`
	Clients      *[]string `json:"clients"`
	ClientID     *string   `json:"client_id"`
	Algorithm    *string   `json:"signing_alg"`
	Lifetime     *int      `json:"lifetime"` // seconds, as max_age
	ProofNeeded  *bool     `json:"bound_access_tokens"`
	ACR          *string   `json:"acr"`
	MaxAge       *int      `json:"max_age"`
	Disabled     *bool     `json:"disabled"` // when changing only
}

func (c Change) applied(r storage.Resource) (storage.Resource, error) {
	replace(&r.Identifier, c.Resource)
	replace(&r.Name, c.Name)
	replace(&r.Everyone, c.Everyone)
	replace(&r.Clients, c.Clients)
	replace(&r.ClientID, c.ClientID)
	replace(&r.Algorithm, c.Algorithm)
	replace(&r.ProofNeeded, c.ProofNeeded)
	replace(&r.ACR, c.ACR)
	if c.Lifetime != nil {
		r.Lifetime = lasting(*c.Lifetime)
	}
	if c.MaxAge != nil {
		r.MaxAge = lasting(*c.MaxAge)
	}
	var err error
	if c.Scope != nil {
		r.Scopes, err = scope.Parse(*c.Scope)
		r.DefaultScopes = slices.DeleteFunc(slices.Clone(r.DefaultScopes),
			func(name string) bool { return !slices.Contains(r.Scopes, name) })
	}
	if err == nil && c.DefaultScope != nil {
		if r.DefaultScopes, err = scope.Parse(*c.DefaultScope); err != nil {
			err = fault.From(err).At(FieldDefault)
		}
	}
	return r, err
}

// lasting is so many seconds. Of more than a Duration holds it must not be what is left.
func lasting(seconds int) time.Duration {
	return time.Duration(max(-1, min(seconds, math.MaxInt32))) * time.Second
}

func replace[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// Create registers a resource. The error is a fault.List of all that is wrong with it,
// each with the field as its source; or Conflict, as storage.ResourceStore says.
func (c *Catalogue) Create(ctx context.Context, act storage.Act, change Change) (storage.Resource, error) {
	r, err := change.applied(storage.Resource{ID: c.ambient.UID(), CreatedAt: act.At, UpdatedAt: act.At})
	if err == nil {
		r, err = c.checked(ctx, storage.Resource{}, r)
	}
	if err == nil {
		err = c.store.CreateResource(ctx, act, r)
	}
	if err != nil {
		return storage.Resource{}, err
	}
	return c.Find(ctx, r.ID)
}

// Update applies the change and returns the resource as it is then. Errors as Create, and
// NotFound.
func (c *Catalogue) Update(ctx context.Context, act storage.Act, id string, change Change) (storage.Resource, error) {
	before, err := c.Find(ctx, id)
	if err != nil {
		return before, err
	}
	after, err := change.applied(before)
	if err == nil {
		after, err = c.checked(ctx, before, after)
	}
	if err == nil {
		err = c.store.PatchResource(ctx, act, after, change.Disabled)
	}
	if err != nil {
		return storage.Resource{}, named(err, id)
	}
	return c.Find(ctx, before.ID)
}

// Find returns the resource with the id or the address, or NotFound.
func (c *Catalogue) Find(ctx context.Context, handle string) (storage.Resource, error) {
	r, err := c.store.FindResource(ctx, handle)
	key, noAddress := resources.Key(handle)
	if !fault.Is(err, fault.NotFound) || noAddress != nil {
		return r, named(err, handle)
	}
	all, err := c.store.ListResources(ctx)
	if err != nil {
		return storage.Resource{}, err
	}
	for _, one := range all {
		if one.Key == key {
			return one, nil
		}
	}
	return storage.Resource{}, named(fault.Absent("resource"), handle)
}

// List returns all resources, by name.
func (c *Catalogue) List(ctx context.Context) ([]storage.Resource, error) {
	return c.store.ListResources(ctx)
}

// Delete removes the resource, as Find finds it, whose tokens end within a second. NotFound.
func (c *Catalogue) Delete(ctx context.Context, act storage.Act, id string) error {
	one, err := c.Find(ctx, id)
	if err != nil {
		return err
	}
	return named(c.store.DeleteResource(ctx, act, one.ID), id)
}

// named says which resource is absent.
func named(err error, id string) error {
	if fault.Is(err, fault.NotFound) {
		return fault.Newf(fault.NotFound, ReasonNoResource, "There is no resource %s.", id).Because(err)
	}
	return err
}
