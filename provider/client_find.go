package provider

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

func newClient(record storage.Client) *client {
	keys, _ := jwt.ReadKeys([]byte(record.JWKS))            // judged when it was registered
	claims, _ := clientprofile.ReadClaims(record.OwnClaims) // likewise
	return &client{
		claims:    claims,
		keys:      keys,
		Client:    record,
		profile:   clientprofile.Of(record),
		grants:    GrantTypes(record),
		responses: clientprofile.ResponseTypes(record),
		scopes:    record.Scopes,
	}
}

// find returns the enabled client, or a NotFound fault: to the outside a disabled client is
// an unknown one, and so is one whose document counts no more.
func (c *clientCache) find(ctx context.Context, id string) (*client, error) {
	found, err := c.enabled(ctx, id)
	if err == nil && !c.counts(found.Origin) {
		return nil, fault.New(fault.NotFound, "client_blocked", "The documents of the host do not count here.")
	}
	return found, err
}

// enabled returns the enabled client, as it was a moment ago.
func (c *clientCache) enabled(ctx context.Context, id string) (*client, error) {
	id = clientprofile.ID(id)
	now := c.ambient.Elapsed()
	c.mu.RLock()
	hit, ok := c.known[id]
	age := c.age
	c.mu.RUnlock()
	if ok && now < hit.until {
		c.hits.Add(1)
		return hit.client, nil
	}
	c.misses.Add(1)
	record, err := c.store.FindClient(ctx, id)
	if err != nil {
		return nil, err
	}
	if record.Disabled {
		return nil, fault.New(fault.NotFound, "client_disabled", "The client is disabled.")
	}
	found := newClient(record)
	c.keep(id, cachedClient{found, now + c.fresh}, now, age)
	return found, nil
}
