package provider

import (
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/gate/dpop"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/devices"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Options are what the provider is made of. Every field is needed unless its
// comment says otherwise.
type Options struct {
	BaseURL   string // absolute; the issuer, byte for byte (decision N2)
	Lifetimes Lifetimes
	Store     Store
	Ambient   *ambient.Source
	Keys      *signing.KeySet
	Bearer    *bearer.Authenticator
	Proofs    *dpop.Proofs

	// Resources are what tokens are for; nil: those of the store.
	Resources *resources.Registry

	// Certificates are those that clients may prove themselves by.
	Certificates Certificates

	Sessions  *websession.Manager
	Passwords *password.Hasher
	Ring      *sealing.Ring
	Pages     *templates.Pages
	Log       *slog.Logger

	Help Help

	// Factors judge second factors.
	Factors SecondFactors

	Demo *templates.DemoContent // what the page of a signed-in person tells of; nil: nothing

	Limits *ratelimit.Limits // nil: calls are not limited

	Watch Watch // nil: nobody is told of uses and failures

	// TryOuts says whether the address is one of ours for try-outs, and whether it
	// stands for a running one of the client and may be returned to like a
	// registered one; nil: there are none.
	TryOuts func(clientID, redirectURI string) (ours, stands bool)

	// Outbound calls clients; nil: a client that calls public addresses, and for
	// a base URL of plain http, a development server's, its own machine.
	Outbound *outbound.Client

	// Elsewhere knows where people may sign in beside here; nil: nowhere.
	Elsewhere Elsewhere

	// Directories judge passwords that are not kept here; nil: there are none.
	Directories Directories

	// Registration is the address where clients register themselves at the moment, empty
	// while they may not; nil: they never may.
	Registration func() string

	// Documents are those of clients that nobody registers; nil: there are none.
	Documents Documents

	// Assertions judges the assertions of service accounts; nil while none
	// can exist, and then the grant is not offered.
	Assertions AssertionVerifier
}

// clientStaleness bounds how long a change of a client may take to act here: a
// disabled client is out within a second on every replica.
const clientStaleness = 400 * time.Millisecond

// New returns a provider. It refuses a base URL that can't be an issuer.
func New(o Options) (*Provider, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil || !base.IsAbs() || base.Host == "" || strings.HasSuffix(o.BaseURL, "/") {
		return nil, fault.Newf(fault.Invalid, "base_url",
			"The base URL must be absolute and have no trailing slash; %q is not.", o.BaseURL)
	}
	if o.Watch == nil {
		o.Watch = nobody{}
	}
	if o.Elsewhere == nil {
		o.Elsewhere = nowhere{}
	}
	if o.Directories == nil {
		o.Directories = noDirectory{}
	}
	if o.Registration == nil {
		o.Registration = func() string { return "" }
	}
	if o.Documents == nil {
		o.Documents = noDocuments{}
	}
	if o.TryOuts == nil {
		o.TryOuts = func(string, string) (bool, bool) { return false, false }
	}
	if o.Outbound == nil {
		o.Outbound = outbound.New(outbound.Options{Networks: outbound.Beside(o.BaseURL)})
	}
	if o.Resources == nil {
		o.Resources = resources.NewRegistry(resources.Options{Store: o.Store, Ambient: o.Ambient, Issuer: o.BaseURL,
			Audience: o.Keys.Audience()})
	}
	p := &Provider{
		resources:  o.Resources,
		issuer:     o.BaseURL,
		lifetimes:  o.Lifetimes.withDefaults(),
		store:      o.Store,
		clients:    newClientCache(o.Store, o.Ambient, clientStaleness, o.Documents.Counts),
		remote:     newRemoteKeys(o.Outbound, o.Ambient),
		ambient:    o.Ambient,
		keys:       o.Keys,
		bearer:     o.Bearer,
		possession: possession{o.Proofs},
		sessions:   o.Sessions,
		passwords:  o.Passwords,
		ring:       o.Ring,
		refresh:    refreshTokens{ring: o.Ring},
		pages:      o.Pages,
		web:        webpage.New(o.Pages, o.Log, o.Sessions.Greet),
		demo:       o.Demo,
		log:        o.Log,
		attempts:   &attempts{o.Ambient, o.Store, o.Ring},
		devices:    devices.New(o.Store, o.Ambient, o.Ring),
		calls:      counter{o.Limits},
		logouts:    newLogoutDeliveries(o),
		verifier:   o.Assertions,
		watch:      o.Watch,
		tryOuts:    o.TryOuts,
		help:       o.Help,
		factors:    o.Factors,
		elsewhere:  o.Elsewhere,

		directories: o.Directories,
		documents:   o.Documents,
	}
	p.certificates = certificates{o.Certificates, p.remote, p.calls, p.ambient}
	p.framework = newFramework(p)
	p.metadata = &metadata{describe: p.discovery, registration: o.Registration, documents: o.Documents.Supported}
	_, err = p.metadata.document()
	return p, err
}

func newLogoutDeliveries(o Options) *LogoutDeliveries {
	return &LogoutDeliveries{
		issuer: o.BaseURL, store: o.Store, keys: o.Keys, outbound: o.Outbound, ambient: o.Ambient, log: o.Log,
		holder: o.Ambient.UID(), wake: make(chan struct{}, 1),
	}
}

// nobody watches.
type nobody struct{}

func (nobody) SecretUsed(string, time.Time) {}

func (nobody) Failed(storage.ClientFailure) {}
