// Package provider is OAuth 2.0 and OpenID Connect: the authorize and token
// endpoints, sign-in and consent, user info, revocation, introspection, logout,
// keys and discovery.
//
// It is the only importer of fosite. The framework decides the protocol's
// steps; what it reads and writes goes through our own storage adapter
// (grant_store.go), our own token strategies (strategy.go) and our own bodies
// (wire.go), because its stock ones are too loose or too slow for us. Start
// reading at engine.go for the composition, authorize.go and token.go for the
// two main paths.
package provider

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Lifetimes are how long things live; zero fields are the specification's
// values (S1 section 8).
type Lifetimes struct {
	Code          time.Duration // 5 minutes
	IDToken       time.Duration // 60 minutes
	AccessToken   time.Duration // 60 minutes
	RefreshToken  time.Duration // 15 days
	RefreshGrace  time.Duration // no default: 0 turns honest retries off
	Grant         time.Duration // of all refresh tokens of a grant, for standard clients; 0: no end
	GrantPlatform time.Duration // the same for platform clients
	LoginRequest  time.Duration // 1 hour: how long a person may take to sign in
}

func (l Lifetimes) withDefaults() Lifetimes {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&l.Code, 5 * time.Minute},
		{&l.IDToken, time.Hour},
		{&l.AccessToken, time.Hour},
		{&l.RefreshToken, 15 * 24 * time.Hour},
		{&l.LoginRequest, time.Hour},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return l
}

// Store is what the provider keeps.
type Store interface {
	storage.UserStore
	storage.ClientStore
	storage.LoginStore
	storage.GrantStore
	storage.LogoutDeliveryStore
	storage.AuditStore

	// FindClientLogo is of storage.ClientLogoStore.
	FindClientLogo(ctx context.Context, clientID string) (string, error)

	// ListGroupsOfUser is of storage.UserGroupStore.
	ListGroupsOfUser(ctx context.Context, userID string) ([]storage.UserGroup, error)

	// FindServiceAccount is of storage.ServiceAccountStore.
	FindServiceAccount(ctx context.Context, id string) (storage.ServiceAccount, error)

	// AcquireLease is of storage.UpkeepStore.
	AcquireLease(ctx context.Context, name, holder string, now, until time.Time) (bool, error)
}

// Options are what the provider is made of. Every field is needed unless its
// comment says otherwise.
type Options struct {
	BaseURL   string // absolute; the issuer, byte for byte (decision N2)
	Lifetimes Lifetimes
	Store     Store
	Ambient   *ambient.Source
	Keys      *signing.KeySet
	Bearer    *bearer.Authenticator
	Sessions  *websession.Manager
	Passwords *password.Hasher
	Ring      *sealing.Ring
	Pages     *templates.Pages
	Log       *slog.Logger

	Limits *ratelimit.Limits // nil: calls are not limited

	Watch Watch // nil: nobody is told of uses and failures

	// TryOuts says whether the address is one of ours for try-outs, and whether it
	// stands for a running one of the client and may be returned to like a
	// registered one; nil: there are none.
	TryOuts func(clientID, redirectURI string) (ours, stands bool)

	// Outbound calls clients; nil: a client that calls public addresses, and for
	// a base URL of plain http, a development server's, its own machine.
	Outbound *outbound.Client

	// Assertions judges the assertions of service accounts; nil while none
	// can exist, and then the grant is not offered.
	Assertions AssertionVerifier
}

// Provider serves the identity half's endpoints. Make one with New.
type Provider struct {
	issuer    string
	lifetimes Lifetimes
	store     Store
	clients   *clientCache
	ambient   *ambient.Source
	keys      *signing.KeySet
	bearer    *bearer.Authenticator
	sessions  *websession.Manager
	passwords *password.Hasher
	ring      *sealing.Ring
	refresh   refreshTokens
	pages     *templates.Pages
	log       *slog.Logger
	framework *fosite.Fosite
	attempts  *attempts
	limits    *ratelimit.Limits
	logouts   *LogoutDeliveries
	metadata  document
	verifier  AssertionVerifier
	watch     Watch
	tryOuts   func(clientID, redirectURI string) (ours, stands bool)
}

// clientStaleness bounds how long a change of a client may take to act here: a
// disabled client is out within a second on every replica.
const clientStaleness = 400 * time.Millisecond

// New returns a provider. It refuses a base URL that can't be an issuer.
func New(o Options) (*Provider, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil || !base.IsAbs() || base.Host == "" || strings.HasSuffix(o.BaseURL, "/") {
		return nil, fault.Newf(fault.Invalid, "base_url", "The base URL must be absolute and have no trailing slash; %q is not.", o.BaseURL)
	}
	if o.Watch == nil {
		o.Watch = nobody{}
	}
	if o.TryOuts == nil {
		o.TryOuts = func(string, string) (bool, bool) { return false, false }
	}
	if o.Outbound == nil {
		o.Outbound = outbound.New(outbound.Options{Networks: outbound.Beside(o.BaseURL)})
	}
	p := &Provider{
		issuer:    o.BaseURL,
		lifetimes: o.Lifetimes.withDefaults(),
		store:     o.Store,
		clients:   newClientCache(o.Store, o.Ambient, clientStaleness),
		ambient:   o.Ambient,
		keys:      o.Keys,
		bearer:    o.Bearer,
		sessions:  o.Sessions,
		passwords: o.Passwords,
		ring:      o.Ring,
		refresh:   refreshTokens{ring: o.Ring},
		pages:     o.Pages,
		log:       o.Log,
		attempts:  newAttempts(o.Ambient),
		limits:    o.Limits,
		logouts:   newLogoutDeliveries(o),
		verifier:  o.Assertions,
		watch:     o.Watch,
		tryOuts:   o.TryOuts,
	}
	p.framework = newFramework(p)
	p.metadata, err = newDocument(p.discovery())
	return p, err
}
