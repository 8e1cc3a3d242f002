package resources

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/fresh"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// Options are what a Registry is made of.
type Options struct {
	Store    Store
	Ambient  *ambient.Source
	Issuer   string // the address of the server
	Audience string // what our own APIs are called in tokens; mostly the same

	// BuiltIn are what the server has beside its APIs. Somebody may register their
	// addresses as well, and then says who may have tokens for them.
	BuiltIn []storage.Resource
}

// Store is what a Registry reads.
type Store interface {
	// ListResources is of storage.ResourceStore.
	ListResources(ctx context.Context) ([]storage.Resource, error)

	// ResourceEnds is of storage.ResourceStore.
	ResourceEnds(ctx context.Context) (map[string]time.Time, error)
}

// Registry is the resources as they are now. All are kept in memory, so that no request
// reads them, and what is disabled is out within a second on every replica. It is safe for
// concurrent use.
type Registry struct {
	with  Options
	known *fresh.Value[map[string]Resource] // by key
}

// NewRegistry returns the resources of a store.
func NewRegistry(o Options) *Registry {
	r := &Registry{with: o}
	r.known = fresh.New(o.Ambient, r.read)
	return r
}

// read returns the resources by their keys. The ends come second: a resource that goes
// between is there still, or has ended.
func (r *Registry) read(ctx context.Context) (map[string]Resource, error) {
	rows, err := r.with.Store.ListResources(ctx)
	if err != nil {
		return nil, err
	}
	ends, err := r.with.Store.ResourceEnds(ctx)
	return r.gather(rows, ends), err
}

// Learn reads the resources, before anybody asks for them.
func (r *Registry) Learn(ctx context.Context) error { return r.known.Learn(ctx) }

// Forget has the resources read anew: one has changed.
func (r *Registry) Forget() { r.known.Forget() }

// all returns the resources by their keys; ours is always among them, once they were
// read.
func (r *Registry) all() (map[string]Resource, error) {
	known := r.known.Get()
	if known == nil {
		return nil, fault.New(fault.Unavailable, "", "The resources could not be read yet.").After(time.Second)
	}
	return known, nil
}

// gather adds to what is registered what the server has by itself.
func (r *Registry) gather(rows []storage.Resource, ends map[string]time.Time) map[string]Resource {
	ours := storage.Resource{Identifier: r.with.Issuer, Name: r.with.Issuer, Everyone: true}
	found := map[string]Resource{}
	for _, row := range slices.Concat(r.with.BuiltIn, []storage.Resource{ours}, rows) {
		key, err := Key(row.Identifier)
		if err != nil {
			continue // nothing else is registered
		}
		found[key] = Resource{Resource: row, Succeeds: ends[key]}
	}
	key, err := Key(r.with.Issuer)
	if err != nil {
		return found
	}
	found[key] = r.own(found[key].Resource)
	for _, row := range r.with.BuiltIn {
		if beside, err := Key(row.Identifier); err == nil {
			found[beside] = found[beside].under(found[key])
		}
	}
	return found
}

// key is Key, but that our own APIs may be called what tokens call them, too.
func (r *Registry) key(identifier string) (string, error) {
	if identifier == r.with.Audience {
		identifier = r.with.Issuer
	}
	return Key(identifier)
}

// own is what our own APIs are whatever is registered of them: open to every client, for
// the scopes that it has.
func (r *Registry) own(as storage.Resource) Resource {
	as.Identifier, as.Everyone, as.Disabled, as.Scopes = r.with.Audience, true, false, scope.All()
	as.TokensFrom = time.Time{}
	return Resource{Resource: as, Ours: true} // whatever had its address before
}

// under is the resource with what another demands, too: it shows the same to whoever is
// let in.
func (r Resource) under(other Resource) Resource {
	r.ACR = max(r.ACR, other.ACR) // they are in the order of their strength
	r.MaxAge, r.Lifetime = sooner(r.MaxAge, other.MaxAge), sooner(r.Lifetime, other.Lifetime)
	r.ProofNeeded = r.ProofNeeded || other.ProofNeeded
	r.Algorithm = cmp.Or(r.Algorithm, other.Algorithm)
	return r
}

// Demanding returns the resources that say what a token has to be like: those that it is
// for, and for whoever names none our own APIs.
func (r *Registry) Demanding(ctx context.Context, target Target) (Target, error) {
	if len(target) > 0 {
		return target, nil
	}
	ours, found, err := r.Find(ctx, r.with.Issuer)
	if err != nil || !found {
		return nil, err
	}
	return Target{ours}, nil
}

// Resolve returns what the client asks for. Invalid, ReasonTarget, for what is no
// address, unknown, disabled or not for the client, all alike.
func (r *Registry) Resolve(_ context.Context, clientID string, asked []string) (Target, error) {
	if len(asked) == 0 {
		return nil, nil
	}
	if len(asked) > MaxAsked {
		return nil, fault.Newf(fault.Invalid, ReasonTarget, "A request can name at most %d resources.", MaxAsked)
	}
	known, err := r.all()
	if err != nil {
		return nil, err
	}
	var target Target
	for _, name := range asked {
		key, err := r.key(name)
		if err != nil {
			return nil, err
		}
		one, found := known[key]
		if !found || !one.Admits(clientID) {
			return nil, fault.New(fault.Invalid, ReasonTarget, "The client may not have tokens for this resource.")
		}
		if !slices.Contains(target.Identifiers(), one.Identifier) {
			target = append(target, one)
		}
	}
	return target, nil
}

// Standing is Resolve for what was registered before: what is gone since is left out.
// Invalid, ReasonTarget, when nothing is left.
func (r *Registry) Standing(ctx context.Context, clientID string, registered []string) (Target, error) {
	var target Target
	for _, name := range registered {
		one, err := r.Resolve(ctx, clientID, []string{name})
		switch {
		case fault.Is(err, fault.Invalid):
		case err != nil:
			return nil, err
		default:
			target = append(target, one...)
		}
	}
	if len(target) == 0 && len(registered) > 0 {
		return nil, fault.New(fault.Invalid, ReasonTarget, "The client may have tokens for none of these resources any more.")
	}
	return target, nil
}

// Find returns the resource with the address; false when there is none that is enabled.
func (r *Registry) Find(_ context.Context, identifier string) (Resource, bool, error) {
	key, err := r.key(identifier)
	if err != nil {
		return Resource{}, false, nil
	}
	known, err := r.all()
	one, found := known[key]
	return one, found && !one.Disabled, err
}

// OfClient returns those of the addresses whose resources are the client's own.
func (r *Registry) OfClient(ctx context.Context, clientID string, audience []string) ([]string, error) {
	var own []string
	for _, name := range audience {
		one, found, err := r.Find(ctx, name)
		if err != nil {
			return nil, err
		}
		if found && one.ClientID == clientID && clientID != "" {
			own = append(own, name)
		}
	}
	return own, nil
}

// Held implements bearer.Resources.
func (r *Registry) Held(ctx context.Context, audience []string, clientID string, issuedAt time.Time,
	registered, scopes []string) (held []string, stands bool, err error) {
	var target Target
	for _, name := range audience {
		one, found, err := r.Find(ctx, name)
		if err != nil {
			return nil, false, err
		}
		if found && one.Admits(clientID) && !issuedAt.Before(one.TokensFrom) && !issuedAt.Before(one.Succeeds) {
			target = append(target, one)
		}
	}
	if len(target) == 0 {
		return nil, false, nil
	}
	may := target.MayAsk(registered)
	return slices.DeleteFunc(target.Held(scopes),
		func(name string) bool { return !scope.Registered(may, name) }), true, nil
}

// Exchangeable implements bearer.Resources.
func (r *Registry) Exchangeable(exchangeFor, audience []string) bool {
	return slices.ContainsFunc(audience, func(name string) bool {
		wanted, err := r.key(name)
		return err == nil && slices.ContainsFunc(exchangeFor, func(may string) bool {
			key, err := r.key(may)
			return err == nil && key == wanted
		})
	})
}

// Strength returns how strongly people have to have been proven for what tokens are for.
func (r *Registry) Strength(ctx context.Context, target Target) (acr string, err error) {
	demanding, err := r.Demanding(ctx, target)
	return demanding.ACR(), err
}

// Demanded implements bearer.Resources.
func (r *Registry) Demanded(ctx context.Context, audience string) (acr string, maxAge time.Duration, since time.Time,
	err error) {
	one, _, err := r.Find(ctx, audience)
	if one.MaxAge > 0 {
		since = r.with.Ambient.Now().Add(-one.MaxAge)
	}
	return one.ACR, one.MaxAge, since, err
}
