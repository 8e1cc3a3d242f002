// Package wiring makes the parts that the server and the commands both use: each
// in one place, from the settings, and not before it is asked for.
//
// What only the server has is package app's. Start at New.
package wiring

import (
	"cmp"
	"context"
	"crypto/rsa"
	"errors"
	"log/slog"
	"sync"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/facilities"
	"github.com/portico-id/portico/dataapi/webhooks"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/gate/signing/libcrypto"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/internal/picture"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/accounts"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/branding"
	"github.com/portico-id/portico/provider/catalogue"
	"github.com/portico-id/portico/provider/connections"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/provider/factors"
	"github.com/portico-id/portico/provider/moving"
	"github.com/portico-id/portico/provider/outbox"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/provider/policy"
	"github.com/portico-id/portico/provider/registration"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/serviceaccounts"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/sqlstore"
)

// Options are what Parts are made of.
type Options struct {
	Config    config.Config
	Ambient   *ambient.Source
	Log       *slog.Logger
	Store     *sqlstore.Store    // may be set later, before a part is asked for that needs it
	KeysAhead int                // as serviceaccounts.Options has it
	Hasher    *password.Hasher   // nil: as people's passwords need it
	Native    *libcrypto.Library // as signing.Options has it

	BuiltIn []storage.Resource // as resources.Options has it

	Pair func() (*rsa.PrivateKey, error) // as serviceaccounts.Options has it

	// Signing returns the keys in the database, for a command, which seals nothing by
	// another secret than the server's. Nil: for the server itself.
	Signing func() ([]storage.SigningKey, error)
}

// Parts are makers: whoever calls one twice gets the same part. Close ends those
// that were made, and the store.
type Parts struct {
	Options

	Ring           func() (*sealing.Ring, error)
	Outbound       func() *outbound.Client
	Passwords      func() *password.Hasher
	Outbox         func() *outbox.Outbox
	People         func() *people.People
	Accounts       func() *accounts.Accounts
	Apps           func() *apps.Apps
	Machines       func() *serviceaccounts.Accounts
	Administration func() *administration.Rules
	Facilities     func() *facilities.Rules
	Webhooks       func() (*webhooks.Rules, error)
	Factors        func() (*factors.Factors, error)
	Blobs          func() (blobstore.Store, error)
	Pictures       func() *picture.Reader
	Branding       func() *branding.Branding
	Upstreams      func() (*upstreams.Upstreams, error)
	Directories    func() (*directory.Directories, error)
	Connections    func() *connections.Connections
	Catalogue      func() *catalogue.Catalogue
	Resources      func() *resources.Registry
	Policy         func() *policy.Policy
	Registrar      func() *registration.Registrar
	Moving         func() *moving.Moving

	closers []func() error // of what was made, in its order
}

// New returns the parts, of which none is made.
func New(o Options) *Parts {
	p := &Parts{Options: o}
	p.Ring = sync.OnceValues(p.newRing)
	p.Outbound = sync.OnceValue(o.Config.Outbound)
	p.Pictures = sync.OnceValue(picture.NewReader)
	p.Branding = sync.OnceValue(p.newBranding)
	p.Connections = sync.OnceValue(func() *connections.Connections {
		return connections.New(connections.Options{Store: p.Store, Ambient: o.Ambient, BaseURL: o.Config.BaseURL})
	})
	p.Passwords = sync.OnceValue(func() *password.Hasher { return cmp.Or(o.Hasher, password.New(o.Ambient)) })
	p.Catalogue = sync.OnceValue(func() *catalogue.Catalogue { return catalogue.New(p.Store, o.Ambient) })
	p.Resources = sync.OnceValue(p.newResources)
	p.Policy = sync.OnceValue(p.newPolicy)
	p.Outbox = sync.OnceValue(func() *outbox.Outbox {
		return outbox.New(outbox.Options{Store: p.Store, Ambient: o.Ambient, Delivers: o.Config.Delivers})
	})
	p.People = sync.OnceValue(func() *people.People {
		return people.New(people.Options{
			Store: p.Store, Ambient: o.Ambient, Passwords: p.Passwords(), BaseURL: o.Config.BaseURL, Post: p.Outbox(),
			SignUp:   people.SignUp{Mode: o.Config.Signup, Domains: o.Config.SignupDomains},
			Pictures: p.Pictures(), SessionIdle: o.Config.Lifetimes.SessionIdle,
		})
	})
	p.Accounts = sync.OnceValue(func() *accounts.Accounts {
		return accounts.New(accounts.Options{
			Store: p.Store, Ambient: o.Ambient, People: p.People(), Resources: p.Resources(), Issuer: o.Config.BaseURL,
			Sections: []accounts.Section{{File: "profile.json", Tell: p.People().TellProfile},
				{File: "sessions.json", Tell: p.People().TellSessions}},
		})
	})
	p.Apps = sync.OnceValue(func() *apps.Apps {
		return apps.New(apps.Options{Store: p.Store, Ambient: o.Ambient, Outbound: p.Outbound(), Pictures: p.Pictures(),
			Policy: p.Policy(), Post: p.Outbox(),
			Names: func() []string {
				return append(o.Config.ServerNames(), p.Branding().Current().Name)
			}})
	})
	p.Moving = sync.OnceValue(func() *moving.Moving {
		return moving.New(moving.Options{Store: p.Store, Ambient: o.Ambient, Client: p.Apps().Arrived,
			CheckGroup: people.CheckGroup, SetField: setField})
	})
	p.Machines = sync.OnceValue(p.newMachines)
	p.Registrar = sync.OnceValue(p.newRegistrar)
	p.Administration = sync.OnceValue(func() *administration.Rules {
		return administration.New(administration.Options{
			Store: p.Store, Ambient: o.Ambient, Namespace: o.Config.URNNamespace,
		})
	})
	p.Facilities = sync.OnceValue(func() *facilities.Rules {
		return facilities.New(facilities.Options{Store: p.Store, Ambient: o.Ambient, Namespace: o.Config.URNNamespace})
	})
	p.Webhooks = sync.OnceValues(p.newWebhooks)
	p.Factors = sync.OnceValues(p.newFactors)
	p.Upstreams = sync.OnceValues(func() (*upstreams.Upstreams, error) {
		ring, err := p.theirs()
		return upstreams.New(upstreams.Options{BaseURL: o.Config.BaseURL, Store: p.Store, Ambient: o.Ambient, Ring: ring,
			Log: o.Log, Set: setField}), err
	})
	p.Directories = sync.OnceValues(func() (*directory.Directories, error) {
		ring, err := p.theirs()
		return directory.New(directory.Options{Store: p.Store, Ambient: o.Ambient, Ring: ring, Log: o.Log,
			Set: setField}), err
	})
	p.Blobs = sync.OnceValues(p.openBlobs)
	return p
}

func setField(user *storage.User, field, value string) error {
	return people.Set(user, people.Setting{Field: field, Value: value})
}

// FieldFits reports whether a field of a person may have the value.
func FieldFits(field, value string) bool { return setField(new(storage.User), field, value) == nil }

// newRing seals and signs with the server's secret, and reads what the one
// before it sealed and signed.
func (p *Parts) newRing() (*sealing.Ring, error) {
	c, err := p.Config.WithSecret(p.Ambient)
	if err != nil {
		return nil, err
	}
	var previous []byte
	if c.SecretPrevious != "" {
		previous = []byte(c.SecretPrevious.Reveal())
	}
	return sealing.New([]byte(c.Secret.Reveal()), previous, p.Ambient)
}

// theirs is the ring of the server on the database. A command that was not given the server's
// secret would make one, and what it seals by that no server opens.
func (p *Parts) theirs() (*sealing.Ring, error) {
	if p.Signing == nil {
		return p.Ring()
	}
	keys, err := p.Signing()
	if err != nil {
		return nil, err
	}
	if len(keys) > 0 && p.Config.LacksSecret() {
		return nil, fault.Newf(fault.Invalid, "no_secret",
			"There is no secret in %s: give PORTICO_SECRET or PORTICO_SECRET_FILE, as the server has it.", p.Config.SecretFile())
	}
	ring, err := p.Ring()
	if err == nil {
		err = signing.CheckSecret(ring, keys)
	}
	return ring, err
}

func (p *Parts) newMachines() *serviceaccounts.Accounts {
	c := p.Config
	machines := serviceaccounts.New(serviceaccounts.Options{
		Store: p.Store, Ambient: p.Ambient, Log: p.Log, KeysAhead: p.KeysAhead,
		TokenURL: c.PublicURL() + provider.TokenPath, Audiences: c.AssertionAudiences, EmailDomain: c.AccountDomain(),
		Lifetime: c.ServiceAccountExpiry, Pair: p.Pair,
	})
	p.closers = append(p.closers, machines.Close)
	return machines
}

func (p *Parts) newWebhooks() (*webhooks.Rules, error) {
	ring, err := p.theirs()
	if err != nil {
		return nil, err
	}
	return webhooks.New(webhooks.Options{Store: p.Store, Ambient: p.Ambient, Ring: ring, Outbound: p.Outbound()}), nil
}

func (p *Parts) newFactors() (*factors.Factors, error) {
	ring, err := p.theirs()
	if err != nil {
		return nil, err
	}
	mails := outbox.New(outbox.Options{Ambient: p.Ambient})
	mails.Ring = ring
	return factors.New(factors.Options{
		Store: p.Store, Ambient: p.Ambient, Ring: ring, BaseURL: p.Config.PublicURL(),
		Name: func() string { return p.Branding().Current().Name }, Mail: mails.Mail,
	}), nil
}

// newResources is what tokens are for: what is registered, our APIs, and what the server has beside them.
func (p *Parts) newResources() *resources.Registry {
	return resources.NewRegistry(resources.Options{Store: p.Store, Ambient: p.Ambient, Issuer: p.Config.BaseURL,
		Audience: cmp.Or(p.Config.TokenAudience, p.Config.BaseURL), BuiltIn: p.BuiltIn})
}

// Keys opens the keys that sign tokens.
func (p *Parts) Keys(ctx context.Context) (*signing.KeySet, error) {
	ring, err := p.theirs()
	if err != nil {
		return nil, err
	}
	c := p.Config
	return signing.Open(ctx, signing.Options{
		Store: p.Store, Ring: ring, Ambient: p.Ambient, Log: p.Log, Native: p.Native,
		Issuer: c.BaseURL, Audience: c.TokenAudience,
		TokenLifetime: max(c.Lifetimes.AccessToken, c.Lifetimes.IDToken),
	})
}

// End ends the work in the background, which may have something left to write.
func (p *Parts) End() (err error) {
	for _, end := range p.closers {
		err = errors.Join(err, end())
	}
	return err
}

// Close is End, and then gives the database back, if there is one.
func (p *Parts) Close() error {
	err := p.End()
	if p.Store == nil {
		return err
	}
	return errors.Join(err, p.Store.Close())
}
