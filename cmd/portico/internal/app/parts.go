package app

import (
	"context"
	"crypto/rsa"
	"errors"
	"log/slog"
	"os"
	"strings"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/dataapi"
	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/archive"
	"github.com/portico-id/portico/dataapi/batch"
	"github.com/portico-id/portico/dataapi/feed"
	"github.com/portico-id/portico/dataapi/flow"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/dataapi/relations"
	"github.com/portico-id/portico/dataapi/search"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/dataapi/transmittal"
	"github.com/portico-id/portico/dataapi/twins"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/dataapi/webhooks"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/dpop"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/metrics"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/provider/factors"
	"github.com/portico-id/portico/provider/metadoc"
	"github.com/portico-id/portico/provider/outbox"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/provider/scim"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/provider/usage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/templates"
)

// parts are the pieces of a running Portico.
type parts struct {
	*wiring.Parts
	ring      *sealing.Ring
	keys      *signing.KeySet
	pages     *templates.Pages
	origins   *middleware.Origins
	limits    *ratelimit.Limits
	proofs    *dpop.Proofs
	bearer    *bearer.Authenticator
	finder    access.Finder // who may what in the data half
	teller    shape.Teller
	data      *dataapi.Handler
	search    *search.Handler
	feed      *feed.Handler
	epoch     int64 // of the feed's positions
	relations *relations.Handler
	batch     *batch.Handler
	blobs     blobstore.Store
	scanner   *objects.Scanner // nil: nobody looks for viruses
	objects   *objects.Handler
	packer    *archive.Rules
	archives  *archive.API
	flow      *flow.API
	sent      *transmittal.API
	sentRules *transmittal.Rules
	flowRules *flow.Rules
	twins     *twins.Handler
	follower  *twins.Follower
	webhooks  *webhooks.Rules
	courier   *webhooks.Courier
	sender    *outbox.Sender
	factors   *factors.Factors
	upstreams *upstreams.Upstreams
	provider  *provider.Provider
	scim      *scim.Server
	usage     *usage.Counter
	metrics   *metrics.Metrics // nil: nobody may look
	tracer    *tracing.Tracer  // nil: nothing is traced

	directories *directory.Directories

	upkeep *upkeep
	desks  *desks
	demo   *templates.DemoContent
}

// newParts makes the pieces in the order in which they need each other.
func newParts(ctx context.Context, c config.Config, o Options) (*parts, error) {
	if c.RateLimits == nil {
		o.Log.WarnContext(ctx, "rate limits are off")
	}
	undo, err := makeDataDir(c.DataDir)
	if err != nil {
		return nil, err
	}
	w := wiring.New(wiring.Options{Config: c, Ambient: o.Ambient, Log: o.Log, KeysAhead: o.KeysAhead,
		Hasher: o.Hasher, Native: systemCrypto(o.Log), Pair: o.Pair, BuiltIn: builtIn(c)})
	ring, err := w.Ring()
	if err != nil {
		undo()
		return nil, err
	}
	if w.Store, err = openStore(ctx, c); err != nil {
		undo()
		return nil, err
	}
	p := &parts{Parts: w, ring: ring, demo: o.Demo, tracer: newTracer(c, o.Ambient, o.Log)}
	if err := p.wire(ctx); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// close ends what the server has beside the parts, and then them.
func (p *parts) close() error {
	p.endUsage()
	err := errors.Join(p.desks.close(), p.scim.Close(), p.limits.Close(), p.proofs.Close(), p.Close())
	p.tracer.Close() // what the end was made of, too
	return err
}

// makeDataDir makes the data directory, unless it is there. A start that fails
// undoes it, as long as nothing is in it.
func makeDataDir(dir string) (undo func(), err error) {
	_, absent := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, config.Blame("PORTICO_DATA_DIR", err)
	}
	return func() {
		if absent != nil {
			_ = os.Remove(dir)
		}
	}, nil
}

func openStore(ctx context.Context, c config.Config) (*sqlstore.Store, error) {
	options := wiring.Database(c)
	options.Migrate = true
	if !c.SQLite() {
		options.MaxConns = c.DatabasePool
	}
	return sqlstore.Open(ctx, options)
}

// shareSettings tells commands how the server is set. Of another base URL than before it
// warns: one that was forgotten makes every token and link of before a stranger's.
func (p *parts) shareSettings(ctx context.Context) error {
	before, err := p.Store.FindServerSettings(ctx)
	if err != nil {
		return err
	}
	now := p.Config.Shared()
	if was := before["BASE_URL"]; was != "" && was != now["BASE_URL"] {
		p.Log.Warn("the base URL is another one than at the start before: what was issued there is not valid here; "+
			"set PORTICO_BASE_URL if that is a slip", "before", was, "now", now["BASE_URL"])
	}
	return p.Store.KeepServerSettings(ctx, now)
}

func (p *parts) wire(ctx context.Context) error {
	if err := p.wireTools(ctx); err != nil {
		return err
	}
	if err := p.wireMail(); err != nil {
		return err
	}
	if err := p.wireBrand(ctx); err != nil {
		return err
	}
	if err := p.firstAdministrator(ctx, p.Config); err != nil {
		return err
	}
	if err := p.shareSettings(ctx); err != nil {
		return err
	}
	if err := p.wireData(ctx); err != nil {
		return err
	}
	p.scim = p.newSCIM()
	p.usage = usage.NewCounter(p.Store, p.ring, p.Ambient, p.Log)
	p.upkeep = newUpkeep(p)
	p.desks = newDesks(p)
	var err error
	if p.provider, err = p.newProvider(); err != nil {
		return err
	}
	p.desks.open(p)
	p.wireUpstreams()
	return p.learn(ctx)
}

// learn reads what requests go by: a server that knows no policy yet would let people in
// with one factor where the policy demands two.
func (p *parts) learn(ctx context.Context) error {
	return errors.Join(p.Policy().Learn(ctx), p.Resources().Learn(ctx), p.upstreams.Learn(ctx), p.Branding().Learn(ctx))
}

// wireTools makes what every area uses.
func (p *parts) wireTools(ctx context.Context) error {
	var err error
	if p.keys, err = p.Keys(ctx); err != nil {
		return err
	}
	if p.factors, err = p.Factors(); err != nil {
		return err
	}
	if p.upstreams, err = p.Upstreams(); err != nil {
		return err
	}
	if p.directories, err = p.Directories(); err != nil {
		return err
	}
	p.limits, err = ratelimit.New(ratelimit.Options{
		Rates: p.Config.RateLimits, RedisURL: p.Config.RedisURL.Reveal(), Ambient: p.Ambient, Log: p.Log,
	})
	if err != nil {
		return config.Blame("PORTICO_REDIS_URL", err)
	}
	bases := []string{p.Config.BaseURL}
	if p.Config.TLS.ClientURL != "" {
		bases = append(bases, p.Config.TLS.ClientURL)
	}
	p.proofs, err = dpop.New(dpop.Options{
		Bases: bases, Ring: p.ring, Ambient: p.Ambient, Nonces: p.Config.DPoPNonces,
		RedisURL: p.Config.RedisURL.Reveal(), Log: p.Log,
	})
	if err != nil {
		return err // can't be: limits read the same URL
	}
	p.bearer = bearer.New(bearer.Options{Keys: p.keys, Proofs: p.proofs, Resources: p.Resources(),
		Tokens:     metadoc.Standing(bearer.Remember(p.Store, p.Ambient, p.Store.Age), p.DocumentHosts),
		Registered: scope.Registered, ProofAlgorithms: clientprofile.ProofAlgorithms})
	p.origins = middleware.NewOrigins(p.Store, p.Ambient, p.Log)
	p.pages, err = templates.New(p.Ambient.Token)
	return err
}

// wireData makes the data half.
func (p *parts) wireData(ctx context.Context) error {
	c, space := p.Config, urn.Space(p.Config.URNNamespace)
	var err error
	if p.epoch, err = p.Store.FindEpoch(ctx); err != nil {
		return err
	}
	p.finder = access.Finder{Store: p.Store, URN: space}
	p.teller = shape.Teller{Shape: shape.Shape{Base: c.BaseURL, URN: space}, Ambient: p.Ambient,
		Store: shape.Remember(p.Store, p.Ambient, p.Store.Age)}
	pager := jsonapi.Pager{Sealer: p.ring}
	p.search = search.New(p.Store, p.finder, p.teller, pager)
	p.relations = relations.New(p.Store, p.finder, p.teller, pager)
	p.batch = batch.New(p.Store, p.finder, p.teller)
	p.feed = feed.New(p.Store, p.finder, p.teller, pager, p.bearer, p.epoch)
	p.data = dataapi.New(dataapi.Options{Store: p.Store, Bearer: p.bearer, Sealer: p.ring, Tell: p.teller})
	if err := errors.Join(p.openBlobs(ctx), p.openScanner(c)); err != nil {
		return err
	}
	p.objects = objects.New(objects.Options{
		Store: p.Store, Blobs: p.blobs, Rights: p.finder, Ambient: p.Ambient, Bearer: p.bearer, Signer: p.ring,
		BaseURL: c.BaseURL, Namespace: c.URNNamespace, Scanner: p.scanner, Waits: c.DataDir,
	})
	p.packer = archive.New(archive.Options{
		Store: p.Store, Blobs: p.blobs, Rights: p.finder, Ambient: p.Ambient, AwaitScan: p.scanner.Awaited(),
	})
	p.archives = archive.NewAPI(archive.APIOptions{
		Rules: p.packer, Bearer: p.bearer, Signer: p.ring, BaseURL: c.BaseURL, Namespace: c.URNNamespace,
	})
	p.flowRules = flow.New(p.Store, p.finder)
	p.flow = flow.NewAPI(flow.APIOptions{
		Rules: p.flowRules, Bearer: p.bearer, Ambient: p.Ambient, Namespace: c.URNNamespace,
	})
	p.sentRules = transmittal.New(transmittal.Options{
		Store: p.Store, Rights: p.finder, People: p.Administration(), Post: p.Outbox(), Bytes: p.objects, Packer: p.packer,
		Ambient: p.Ambient, BaseURL: c.BaseURL,
	})
	p.sent = transmittal.NewAPI(transmittal.APIOptions{
		Rules: p.sentRules, Bearer: p.bearer, Archives: p.archives, Namespace: c.URNNamespace,
	})
	p.twins = twins.New(twins.Options{
		Store: p.Store, Blobs: p.blobs, Originals: p.finder, Ambient: p.Ambient, Bearer: p.bearer, Signer: p.ring,
		BaseURL: c.BaseURL, Namespace: c.URNNamespace,
	})
	p.follower = twins.NewFollower(p.twins, p.Store, p.Log)
	p.courier = webhooks.NewCourier(webhooks.CourierOptions{
		Store: p.Store, Ambient: p.Ambient, Ring: p.ring, Outbound: p.Outbound(), Log: p.Log, Space: space,
	})
	p.webhooks, err = p.Webhooks()
	return err
}

func (p *parts) newProvider() (*provider.Provider, error) {
	certificates, err := clientCertificates(p.Config.TLS)
	if err != nil {
		return nil, err
	}
	return provider.New(provider.Options{
		BaseURL:   p.Config.BaseURL,
		Lifetimes: providerLifetimes(p.Config.Lifetimes),
		Store:     p.Store,
		Ambient:   p.Ambient,
		Keys:      p.keys,
		Bearer:    p.bearer,
		Proofs:    p.proofs,
		Resources: p.Resources(),

		Registration: p.Registrar().Endpoint,
		Documents:    p.NewDocuments(func() { p.provider.ForgetClients() }),

		Certificates: certificates,

		Sessions:  p.desks.sessions,
		Passwords: p.Passwords(),
		Ring:      p.ring,
		Factors:   p.factors,
		Pages:     p.pages,
		Help: provider.Help{
			ForgottenURL: p.People().ForgottenURL(), SignUpURL: p.People().SignUpURL(), InviteURL: p.People().InviteURL(),
			NewDevice: p.People().NewDevice,
		},
		Demo:       p.demo,
		Log:        p.Log,
		Limits:     p.limits,
		Assertions: p.Machines(),
		Watch:      p.desks.recorder,
		TryOuts:    p.desks.tickets.Stands,
		Outbound:   p.Outbound(),
		Elsewhere:  p.upstreams,

		Directories: p.directories,
	})
}

// newSCIM makes what companies call.
func (p *parts) newSCIM() *scim.Server {
	return scim.New(scim.Options{
		Store: p.Store, Ambient: p.Ambient, Log: p.Log, Limits: p.limits, BaseURL: p.Config.BaseURL,
		Set: func(user *storage.User, field, value string) error {
			return people.Set(user, people.Setting{Field: field, Value: value})
		},
	})
}

func https(c config.Config) bool { return strings.HasPrefix(c.BaseURL, "https://") }

func providerLifetimes(l config.Lifetimes) provider.Lifetimes {
	return provider.Lifetimes{
		Code: l.Code, IDToken: l.IDToken, AccessToken: l.AccessToken,
		RefreshToken: l.RefreshToken, RefreshGrace: l.RefreshGrace,
		Grant: l.Grant, GrantPlatform: l.GrantPlatform,
	}
}

// Options are what New needs beside the configuration.
type Options struct {
	Log     *slog.Logger
	Ambient *ambient.Source
	Demo    *templates.DemoContent // what people are told of it; nil: there is none

	KeysAhead int              // as serviceaccounts.Options has it
	Hasher    *password.Hasher // as wiring.Options has it

	Pair func() (*rsa.PrivateKey, error) // as serviceaccounts.Options has it
}
