package provider

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/storage"
)

// client is a registered client as the framework wants to see it, with what
// follows from its registration worked out once.
type client struct {
	storage.Client
	profile   clientprofile.Profile
	grants    fosite.Arguments
	responses fosite.Arguments
	scopes    fosite.Arguments
	keys      []jose.JSONWebKey // of its JWKS
	claims    clientprofile.Claims
}

var (
	_ fosite.Client             = (*client)(nil)
	_ fosite.ResponseModeClient = (*client)(nil)
)

// byCertificate reports whether it proves itself by the certificate of its connection.
func (c *client) byCertificate() bool {
	return c.AuthMethod == storage.AuthCertificate || c.AuthMethod == storage.AuthOwnCertificate
}

// returningTo is the client with one redirect URI for the length of a request: that of
// a try-out, or one that was judged to be registered.
func (c *client) returningTo(uri string) *client {
	trying := *c
	trying.RedirectURIs = []string{uri}
	return &trying
}

func (c *client) GetID() string                      { return c.ID }
func (c *client) GetHashedSecret() []byte            { return nil } // client_auth.go compares secrets
func (c *client) GetRedirectURIs() []string          { return c.RedirectURIs }
func (c *client) GetGrantTypes() fosite.Arguments    { return c.grants }
func (c *client) GetResponseTypes() fosite.Arguments { return c.responses }
func (c *client) GetScopes() fosite.Arguments        { return c.scopes }
func (c *client) IsPublic() bool                     { return c.Public() }
func (c *client) GetAudience() fosite.Arguments      { return nil }

// GetResponseModes returns the modes every client may ask for.
func (c *client) GetResponseModes() []fosite.ResponseModeType {
	return []fosite.ResponseModeType{fosite.ResponseModeQuery, fosite.ResponseModeFragment, fosite.ResponseModeFormPost}
}

// maxCachedClients bounds the memory of the cache; a registration is a few
// hundred bytes.
const maxCachedClients = 10_000

// clientCache remembers clients for a moment, so that a busy client is read
// from the database a few times a second and not at every request.
type clientCache struct {
	store   storage.ClientStore
	ambient *ambient.Source
	fresh   time.Duration
	counts  func(origin string) bool // whether a client of the origin may do anything at the moment

	hits, misses atomic.Uint64

	mu    sync.RWMutex
	known map[string]cachedClient
	age   int // how often everything was forgotten
}

type cachedClient struct {
	client *client
	until  time.Duration // by a clock that nobody sets
}

func newClientCache(store storage.ClientStore, source *ambient.Source, fresh time.Duration,
	counts func(origin string) bool) *clientCache {
	return &clientCache{store: store, ambient: source, fresh: fresh, counts: counts, known: map[string]cachedClient{}}
}

// keep remembers what was read when the cache was of the age: a change since may
// have had it forgotten.
func (c *clientCache) keep(id string, entry cachedClient, now time.Duration, age int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if age != c.age {
		return
	}
	if len(c.known) >= maxCachedClients {
		maps.DeleteFunc(c.known, func(_ string, e cachedClient) bool { return now >= e.until })
	}
	if len(c.known) < maxCachedClients {
		c.known[id] = entry
	}
}

func (c *clientCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.known)
	c.age++
}

// ForgetClients has every client read anew: one has changed.
func (p *Provider) ForgetClients() { p.clients.forget() }

// ClientLookups returns how often a client that was asked for had been read a moment
// ago, and how often not.
func ClientLookups(p *Provider) (known, unknown uint64) {
	return p.clients.hits.Load(), p.clients.misses.Load()
}

type judgedClientKey struct{}

// withJudgedClient lets the framework see the client that an authorize request
// was judged by, instead of looking it up again.
func withJudgedClient(ctx context.Context, c *client) context.Context {
	return context.WithValue(ctx, judgedClientKey{}, c)
}

// barred reports whether the client is for others than the person. Whoever is told
// so learns nothing of who they are.
func barred(ctx context.Context, store Store, c *client, userID string) (bool, error) {
	if !c.Restricted {
		return false, nil
	}
	may, err := store.MayUseClient(ctx, c.ID, userID)
	return !may, err
}

// unvouched reports whether nobody who runs the server has looked at the client:
// somebody registered it who is no administrator, or is gone.
func (c *client) unvouched(owner storage.User, known bool) bool {
	return !c.Vouched && c.OwnerUserID != "" && !(known && owner.Admin)
}

// onlyHere reports whether all answers to the client go to the person's own machine.
func (c *client) onlyHere() bool {
	return !slices.ContainsFunc(c.RedirectURIs, func(uri string) bool { return !redirecturi.IsLoopbackOrPrivate(uri) })
}

// otherSince reports whether a client that registered itself was changed after somebody
// allowed it something: by itself, perhaps, and answers go elsewhere now.
func (c *client) otherSince(allowed time.Time) bool {
	return c.Origin != "" && allowed.Before(c.UpdatedAt)
}

// name is what the client calls itself in the protocol.
func (c *client) name() string {
	if clientprofile.Described(c.Origin) {
		return c.Origin
	}
	return c.ID
}
