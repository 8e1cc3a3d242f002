// Package accounts is what people have of their own here: the apps that may act
// for them, and how to take that back; what happened to their account, all there
// is of them as an archive, and how to leave; the pages of it, /account/v1 for
// their programs, and /admin/v1/users/…/consents for administrators.
//
// Pages, API and command line go through the same rules, so that they cannot
// drift. It asks nobody for consent (package provider) and registers no app
// (package apps). Start with List and Withdraw; NewPages for the pages, NewAPI
// for the API.
package accounts

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// Reasons of the faults.
const (
	ReasonNoApp        = "client_not_found"
	ReasonNotConnected = "consent_not_found" // there is such an app, and it has no access
	ReasonNoUser       = "user_not_found"
)

// Store is what accounts look up and end.
type Store interface {
	// Of storage.LoginStore.
	ListConsents(ctx context.Context, userID string) ([]storage.Consent, error)
	WithdrawConsent(ctx context.Context, act storage.Act, userID, clientID string) error

	// Of storage.GrantStore.
	ListGrants(ctx context.Context, userID string, now time.Time) ([]storage.Grant, error)
	RevokeGrant(ctx context.Context, act storage.Act, id string) error

	// Of storage.ClientStore and storage.ClientMemberStore.
	ListClients(ctx context.Context, filter storage.ClientFilter,
		page storage.PageRequest) (storage.Listing[storage.Client], error)
	ListClientMembers(ctx context.Context, clientIDs ...string) ([]storage.ClientMember, error)

	// Of storage.UserStore and storage.PortraitStore.
	FindUser(ctx context.Context, id string) (storage.User, error)
	ListUsers(ctx context.Context, filter storage.UserFilter, page storage.PageRequest) (storage.Listing[storage.User],
		error)
	CountAdmins(ctx context.Context) (int, error)
	FindPortrait(ctx context.Context, hash string, side int) ([]byte, error)

	// Of storage.UpstreamStore and storage.FactorStore.
	ListIdentities(ctx context.Context, userID string) ([]storage.UpstreamIdentity, error)
	FindFactors(ctx context.Context, userID string) (storage.Factors, error)

	// Of storage.AuditStore.
	ListAudit(ctx context.Context, filter storage.AuditFilter, page storage.PageRequest) ([]storage.AuditEvent, string,
		error)

	storage.CalledStore
	storage.PersonStore
}

// People deletes people: provider/people.
type People interface {
	Delete(ctx context.Context, act storage.Act, user storage.User, force bool) error
}

// Resources knows what has ended of what people allowed and granted for resources: provider/resources.
type Resources interface {
	// Left returns of the scopes that a person granted then for the addresses those that the client
	// may have tokens with still, as consent to them is remembered.
	Left(ctx context.Context, clientID string, addresses, scopes []string, then time.Time) ([]string, error)

	// Remaining returns of consents that are remembered so those that count still, as to whatever is at
	// their addresses now.
	Remaining(ctx context.Context, clientID string, consented []string) ([]string, error)
}

// Section is a file of an archive: a JSON array of what Tell tells of the person.
type Section struct {
	File string
	Tell func(ctx context.Context, user storage.User, tell func(any) error) error
}

// Options is what Accounts needs.
type Options struct {
	Store     Store
	Ambient   *ambient.Source
	People    People
	Resources Resources
	Issuer    string    // that apps are told who begin a sign-in
	Sections  []Section // of an archive, that others tell
}

// Accounts knows which apps may act for people. It is safe for concurrent use.
type Accounts struct{ with Options }

// New returns an Accounts over the store.
func New(o Options) *Accounts { return &Accounts{o} }

// Connection is an app that may act for a person: they consented, or it belongs
// to the server and was not to ask.
type Connection struct {
	Client   storage.Client
	Owner    string   // who registered the app, by name; empty: the operator, or somebody who is gone
	Gone     bool     // who registered it is
	Scopes   []string // what it was given and still may ask for, sorted
	Since    time.Time
	LastSeen time.Time // when it last got tokens; zero: it has none now
	EndsAt   time.Time // when it must ask the person to sign in again; zero: not by itself
	Devices  []Device  // that the person let in elsewhere, newest first
}

// List returns the person's connections, by the names of the apps.
func (a *Accounts) List(ctx context.Context, userID string) ([]Connection, error) {
	byApp, err := a.byApp(ctx, userID)
	if err != nil {
		return nil, err
	}
	all, err := a.name(ctx, byApp)
	slices.SortFunc(all, func(x, y Connection) int {
		return cmp.Or(cmp.Compare(x.Client.Name, y.Client.Name), cmp.Compare(x.Client.ID, y.Client.ID))
	})
	return all, err
}

// byApp returns the person's connections by the ids of apps, which are not looked
// up yet.
func (a *Accounts) byApp(ctx context.Context, userID string) (map[string]*Connection, error) {
	consents, err := a.with.Store.ListConsents(ctx, userID)
	if err != nil {
		return nil, err
	}
	grants, err := a.with.Store.ListGrants(ctx, userID, a.with.Ambient.Now())
	if err != nil {
		return nil, err
	}
	byApp := map[string]*Connection{}
	of := func(clientID string, since time.Time, scopes []string) *Connection {
		c := byApp[clientID]
		if c == nil {
			c = &Connection{Since: since}
			byApp[clientID] = c
		}
		if since.Before(c.Since) {
			c.Since = since
		}
		c.Scopes = scope.Union(c.Scopes, scopes)
		return c
	}
	for _, consent := range consents {
		of(consent.ClientID, consent.CreatedAt, consent.Scopes)
	}
	for _, grant := range grants {
		left, err := a.with.Resources.Left(ctx, grant.ClientID, grant.Resources, grant.Scopes, grant.CreatedAt)
		if err != nil {
			return nil, err
		}
		of(grant.ClientID, grant.CreatedAt, left).add(grant)
	}
	return byApp, nil
}

// add notes what follows from a grant of the app. One without an end keeps the
// connection from ending.
func (c *Connection) add(grant storage.Grant) {
	if grant.Device != "" {
		c.Devices = append(c.Devices, deviceOf(grant))
	}
	first := c.LastSeen.IsZero()
	for _, at := range []time.Time{grant.CreatedAt, grant.RotatedAt} {
		if at.After(c.LastSeen) {
			c.LastSeen = at
		}
	}
	switch {
	case grant.EndsAt.IsZero():
		c.EndsAt = time.Time{}
	case first || !c.EndsAt.IsZero() && grant.EndsAt.After(c.EndsAt):
		c.EndsAt = grant.EndsAt
	}
}

// name looks up the apps and who registered them. One that was deleted meanwhile took its
// consents along, and is left out.
func (a *Accounts) name(ctx context.Context, byApp map[string]*Connection) (all []Connection, err error) {
	var clients []storage.Client
	for ids := range slices.Chunk(slices.Collect(maps.Keys(byApp)), storage.MaxPage) {
		some, err := a.with.Store.ListClients(ctx, storage.ClientFilter{IDs: ids}, storage.PageRequest{})
		if err != nil {
			return nil, err
		}
		clients = append(clients, some.Rows...)
	}
	owners, err := clientprofile.Owners(ctx, a.with.Store, clients)
	if err != nil {
		return nil, err
	}
	for _, client := range clients {
		c := byApp[client.ID]
		c.Client = client
		if c.Scopes, err = a.with.Resources.Remaining(ctx, client.ID, c.Scopes); err != nil {
			return nil, err
		}
		c.Scopes = slices.DeleteFunc(c.Scopes, func(name string) bool { return !mayAsk(client, name) })
		slices.Sort(c.Scopes)
		owner, known := owners[client.OwnerUserID]
		c.Owner, c.Gone = owner.Profile.Name, !known && client.OwnerUserID != ""
		all = append(all, *c)
	}
	return all, nil
}

// mayAsk reports whether the client may ask for the scope still. Who may have one that only resources
// know is for them to say.
func mayAsk(client storage.Client, given string) bool {
	name, _, ofResource := scope.Of(given)
	return scope.Registered(client.Scopes, name) || ofResource && !scope.Known(name)
}

// Find returns the person's connection to the app. NotFound with
// ReasonNotConnected or, where there is no such app, ReasonNoApp.
func (a *Accounts) Find(ctx context.Context, userID, clientID string) (Connection, error) {
	byApp, err := a.byApp(ctx, userID)
	if err != nil {
		return Connection{}, err
	}
	c, connected := byApp[clientID]
	if !connected {
		c = &Connection{}
	}
	found, err := a.name(ctx, map[string]*Connection{clientID: c})
	switch {
	case err != nil:
		return Connection{}, err
	case len(found) == 0:
		return Connection{}, fault.New(fault.NotFound, ReasonNoApp, "There is no such app.")
	case !connected:
		return Connection{}, fault.New(fault.NotFound, ReasonNotConnected, "The app has no access to this account.")
	}
	return found[0], nil
}

// Withdraw ends the app's access to the person: the consent is forgotten, and
// all that it was given ends. Errors as Find.
func (a *Accounts) Withdraw(ctx context.Context, act storage.Act, userID, clientID string) error {
	if _, err := a.Find(ctx, userID, clientID); err != nil {
		return err
	}
	return a.with.Store.WithdrawConsent(ctx, act, userID, clientID)
}
