package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/dataapi"
	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/feed"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/dataapi/search"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/dataapi/twins"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/dataapi/webhooks"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/accounts"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/outbox"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/serviceaccounts"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/templates"
)

// parts are the pieces of a running Portico.
type parts struct {
	ambient  *ambient.Source
	log      *slog.Logger
	store    *sqlstore.Store
	keys     *signing.KeySet
	pages    *templates.Pages
	demo     *templates.DemoContent // nil: there is none
	people   *people.People
	accounts *accounts.Accounts
	apps     *apps.Apps
	origins  *middleware.Origins
	limits   *ratelimit.Limits
	bearer   *bearer.Authenticator
	outbound *outbound.Client
	machines *serviceaccounts.Accounts
	finder   access.Finder // who may what in the data half
	data     *dataapi.Handler
	search   *search.Handler
	feed     *feed.Handler
	blobs    blobstore.Store
	scanner  *objects.Scanner // nil: nobody looks for viruses
	objects  *objects.Handler
	twins    *twins.Handler
	follower *twins.Follower
	webhooks *webhooks.Rules
	courier  *webhooks.Courier
	outbox   *outbox.Outbox
	sender   *outbox.Sender
	provider *provider.Provider
	upkeep   *upkeep
	desks    *desks
}

// newParts makes the pieces in the order in which they need each other.
func newParts(ctx context.Context, c config.Config, o Options) (*parts, error) {
	for _, warning := range c.Warnings {
		o.Log.WarnContext(ctx, warning)
	}
	if c.RateLimits == nil {
		o.Log.WarnContext(ctx, "rate limits are off")
	}
	undo, err := makeDataDir(c.DataDir)
	if err != nil {
		return nil, err
	}
	ring, err := newRing(c, o.Ambient)
	if err != nil {
		undo()
		return nil, err
	}
	store, err := openStore(ctx, c)
	if err != nil {
		undo()
		return nil, err
	}
	p := &parts{ambient: o.Ambient, log: o.Log, store: store, demo: o.Demo}
	if err := p.wire(ctx, c, ring); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// close ends the work in the background, which may have something left to
// write, and then gives the database back.
func (p *parts) close() error {
	var err error
	if p.machines != nil {
		err = p.machines.Close()
	}
	return errors.Join(err, p.desks.close(), p.limits.Close(), p.closeBlobs(), p.store.Close())
}

// makeDataDir makes the data directory, unless it is there. A start that fails
// undoes it, as long as nothing is in it.
func makeDataDir(dir string) (undo func(), err error) {
	_, absent := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("PORTICO_DATA_DIR: %w", err)
	}
	return func() {
		if absent != nil {
			_ = os.Remove(dir)
		}
	}, nil
}

func newRing(c config.Config, source *ambient.Source) (*sealing.Ring, error) {
	c, err := c.WithSecret(source)
	if err != nil {
		return nil, err
	}
	var previous []byte
	if c.SecretPrevious != "" {
		previous = []byte(c.SecretPrevious.Reveal())
	}
	return sealing.New([]byte(c.Secret.Reveal()), previous, source)
}

func openStore(ctx context.Context, c config.Config) (*sqlstore.Store, error) {
	options := sqlstore.Options{URL: c.DatabaseURL.Reveal(), Version: version.Number, Migrate: true}
	if !c.SQLite() {
		options.MaxConns = c.DatabasePool
	}
	return sqlstore.Open(ctx, options)
}

func (p *parts) wire(ctx context.Context, c config.Config, ring *sealing.Ring) error {
	if err := p.wireTools(ctx, c, ring); err != nil {
		return err
	}
	if err := p.wireMail(c, ring); err != nil {
		return err
	}
	passwords := password.New(p.ambient)
	p.accounts = accounts.New(p.store, p.ambient)
	p.people = people.New(people.Options{Store: p.store, Ambient: p.ambient, Passwords: passwords, BaseURL: c.BaseURL})
	p.apps = apps.New(apps.Options{Store: p.store, Ambient: p.ambient, Outbound: p.outbound})
	if err := p.firstAdministrator(ctx, c); err != nil {
		return err
	}
	if err := p.store.KeepServerSettings(ctx, c.Shared()); err != nil {
		return err
	}
	p.machines = serviceaccounts.New(serviceaccounts.Options{
		Store: p.store, Ambient: p.ambient, Log: p.log,
		TokenURL: c.BaseURL + provider.TokenPath, Audiences: c.AssertionAudiences, EmailDomain: c.AccountDomain(), Lifetime: c.ServiceAccountExpiry,
	})
	p.finder = access.Finder{Store: p.store, URN: urn.Space(c.URNNamespace)}
	tell := shape.Teller{Shape: shape.Shape{Base: c.BaseURL, URN: p.finder.URN}, Ambient: p.ambient, Store: p.store}
	p.search = search.New(p.store, p.finder, tell, jsonapi.Pager{Sealer: ring})
	p.feed = feed.New(p.store, p.finder, tell, jsonapi.Pager{Sealer: ring}, p.bearer)
	p.data = dataapi.New(dataapi.Options{
		Store: p.store, Ambient: p.ambient, Bearer: p.bearer, Sealer: ring,
		BaseURL: c.BaseURL, Namespace: c.URNNamespace,
	})
	if err := p.openBlobs(ctx, c); err != nil {
		return err
	}
	if err := p.openScanner(c); err != nil {
		return err
	}
	p.objects = objects.New(objects.Options{
		Store: p.store, Blobs: p.blobs, Rights: p.finder, Ambient: p.ambient, Bearer: p.bearer, Signer: ring,
		BaseURL: c.BaseURL, Namespace: c.URNNamespace, Scanner: p.scanner,
	})
	p.twins = newTwins(p, c, ring)
	p.follower = twins.NewFollower(p.twins, p.store, p.log)
	p.wireWebhooks(c, ring)
	p.upkeep = newUpkeep(p, c)
	p.desks = newDesks(p, c, ring)
	var err error
	p.provider, err = provider.New(provider.Options{
		BaseURL:    c.BaseURL,
		Lifetimes:  providerLifetimes(c.Lifetimes),
		Store:      p.store,
		Ambient:    p.ambient,
		Keys:       p.keys,
		Bearer:     p.bearer,
		Sessions:   p.desks.sessions,
		Passwords:  passwords,
		Ring:       ring,
		Pages:      p.pages,
		Demo:       p.demo,
		Log:        p.log,
		Limits:     p.limits,
		Assertions: p.machines,
		Watch:      p.desks.recorder,
		TryOuts:    p.desks.tickets.Stands,
		Outbound:   p.outbound,
	})
	if err == nil {
		p.desks.open(p, c)
	}
	return err
}

// wireTools makes what every area uses.
func (p *parts) wireTools(ctx context.Context, c config.Config, ring *sealing.Ring) error {
	var err error
	p.keys, err = signing.Open(ctx, signing.Options{
		Store: p.store, Ring: ring, Ambient: p.ambient, Log: p.log,
		Issuer: c.BaseURL, Audience: c.TokenAudience,
		TokenLifetime: max(c.Lifetimes.AccessToken, c.Lifetimes.IDToken),
	})
	if err != nil {
		return err
	}
	p.limits, err = ratelimit.New(ratelimit.Options{
		Rates: c.RateLimits, RedisURL: c.RedisURL.Reveal(), Ambient: p.ambient, Log: p.log,
	})
	if err != nil {
		return fmt.Errorf("PORTICO_REDIS_URL: %w", err)
	}
	p.outbound = c.Outbound()
	p.bearer = bearer.New(bearer.Options{Keys: p.keys, Tokens: p.store, Registered: scope.Registered})
	p.origins = middleware.NewOrigins(p.store, p.ambient, p.log)
	p.pages, err = templates.New(p.ambient.Token)
	return err
}

func https(c config.Config) bool { return strings.HasPrefix(c.BaseURL, "https://") }

func providerLifetimes(l config.Lifetimes) provider.Lifetimes {
	return provider.Lifetimes{
		Code: l.Code, IDToken: l.IDToken, AccessToken: l.AccessToken,
		RefreshToken: l.RefreshToken, RefreshGrace: l.RefreshGrace,
		Grant: l.Grant, GrantPlatform: l.GrantPlatform,
	}
}
