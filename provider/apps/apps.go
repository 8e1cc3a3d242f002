// Package apps is client registration: what a client application may be, which
// secrets it gets, who manages it, and who may grant it more than others; the
// portal's pages of it, and /admin/v1/apps.
//
// The command line, the portal and the administration API all register through
// the same rules, so that they cannot drift. Service accounts are not here: the
// page of an app shows what package serviceaccounts tells of them. Start with
// New and Create for the rules, check.go for what a registration may contain,
// manage.go for whose an app is; NewPortal for the pages, NewAdmin for what
// administrators have beyond, and recorder.go for what the provider tells.
package apps

import (
	"context"

	"github.com/go-playground/validator/v10"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/picture"
	"github.com/portico-id/portico/storage"
)

// Store is what apps keep and look up.
type Store interface {
	storage.ClientStore
	storage.ClientMemberStore
	storage.ClientLogoStore
	storage.ClientAccessStore
	storage.CalledStore

	// Of storage.LogoutDeliveryStore.
	ListLogoutDeliveries(ctx context.Context, clientID string, page storage.PageRequest) ([]storage.LogoutDelivery,
		string, error)

	// Of storage.UserStore.
	FindUser(ctx context.Context, id string) (storage.User, error)
	FindUserByLogin(ctx context.Context, login string) (storage.User, string, error)
	ListUsers(ctx context.Context, filter storage.UserFilter, page storage.PageRequest) (storage.Listing[storage.User],
		error)

	// Of storage.UserGroupStore.
	FindUserGroup(ctx context.Context, id string) (storage.UserGroup, error)
	FindUserGroupByName(ctx context.Context, name string) (storage.UserGroup, error)
}

// Options is what Apps needs.
type Options struct {
	Store    Store
	Ambient  *ambient.Source
	Outbound *outbound.Client // judges what the server is to call; nil: public addresses alone
	Pictures *picture.Reader  // nil: one of its own
	Post     Post             // makes mails; nil: nobody is told anything
	Policy   Policy           // of who registers apps; nil: everybody, any number
	Names    func() []string  // of the server at the moment, by which no app may pass for it; nil: none
}

// Policy says who registers apps: package policy.
type Policy interface {
	// MayRegister returns how many apps the person may have registered, 0 for any number.
	// Forbidden for who may register none.
	MayRegister(ctx context.Context, userID string) (atMost int, err error)
}

// Apps registers client applications and changes them. It is safe for
// concurrent use.
type Apps struct {
	store    Store
	ambient  *ambient.Source
	validate *validator.Validate
	pictures *picture.Reader
	outbound *outbound.Client
	names    func() []string
	policy   Policy
	post     Post
}

// New returns an Apps over the store.
func New(options Options) *Apps {
	if options.Names == nil {
		options.Names = func() []string { return nil }
	}
	if options.Outbound == nil {
		options.Outbound = outbound.New(outbound.Options{})
	}
	if options.Pictures == nil {
		options.Pictures = picture.NewReader()
	}
	return &Apps{
		store: options.Store, ambient: options.Ambient, validate: newValidator(), pictures: options.Pictures,
		outbound: options.Outbound,
		names:    options.Names, policy: options.Policy, post: options.Post,
	}
}

// Created is a client that has just been registered.
type Created struct {
	Client storage.Client
	Secret string // shown this once, never kept; empty for public types

	PrivateKey string // the key that was made for it, a JSON Web Key; shown this once, too
}

// Create registers a client and gives it an id and, unless it is public, a
// secret (decision C4), if it is to prove itself by one. The error is a fault.List of everything that is wrong
// with the registration, each entry with the field as its source.
func (a *Apps) Create(ctx context.Context, act storage.Act, registration Registration) (Created, error) {
	var private string
	if registration.MakeKey {
		if registration.JWKS != "" || registration.KeysURI != "" {
			return Created{}, fault.New(fault.Invalid, ReasonField,
				"Either a key is made here, or the client has keys.").At(FieldJWKS)
		}
		var err error
		registration.AuthMethod = storage.AuthPrivateKey
		if private, registration.JWKS, err = a.newKey(); err != nil {
			return Created{}, err
		}
	}
	client, secret, err := a.create(ctx, act, registration.client(), mayElevate(act, registration.ByAdministrator),
		func(client storage.Client) error { return a.keep(ctx, act, client, registration.ByAdministrator) })
	if err != nil {
		return Created{}, err
	}
	return Created{Client: client, Secret: secret, PrivateKey: private}, nil
}

// create judges a client, and keeps it as the caller says with an id and, if it is to
// prove itself by one, a secret.
func (a *Apps) create(ctx context.Context, act storage.Act, client storage.Client, mayElevate bool,
	keep func(storage.Client) error) (made storage.Client, secret string, err error) {
	client.ID, client.CreatedAt, client.UpdatedAt = a.ambient.ClientID(), act.At, act.At
	if err := a.check(ctx, storage.Client{}, client, mayElevate); err != nil {
		return made, "", err
	}
	if err := a.ownerExists(ctx, client.OwnerUserID); err != nil {
		return made, "", err
	}
	if client.BySecret() {
		plain, hashed := a.newSecret(act, NewSecret{})
		secret, client.Secrets = plain, []storage.ClientSecret{hashed}
	}
	return client, secret, keep(client)
}

// Enrol registers a client that asks for it itself, by the rules for somebody who is no
// administrator. How it is kept, the caller says.
func (a *Apps) Enrol(ctx context.Context, act storage.Act, wanted storage.Client,
	keep func(storage.Client) error) (made storage.Client, secret string, err error) {
	wanted.ClientSecurity = settled(wanted)
	return a.create(ctx, act, wanted, false, keep)
}

// Become makes a client what it wants to be itself, by the same rules. What is not a
// client's to say is what it was.
func (a *Apps) Become(ctx context.Context, act storage.Act, wanted storage.Client) (storage.Client, error) {
	before, err := a.Find(ctx, wanted.ID)
	if err != nil {
		return before, err
	}
	wanted.ClientSecurity = settled(wanted)
	wanted = trusted(before, wanted)
	if err := a.check(ctx, before, wanted, false); err != nil {
		return before, err
	}
	return wanted, named(a.store.UpdateClient(ctx, act, wanted), wanted.ID)
}

// Arrived is a client that comes from another product with the id and the secrets that
// it has there, by the rules for one that an administrator registers.
func (a *Apps) Arrived(ctx context.Context, client storage.Client) (storage.Client, error) {
	for _, list := range []*[]string{&client.RedirectURIs, &client.PostLogoutRedirectURIs, &client.Origins,
		&client.Scopes} {
		*list = once(*list)
	}
	client.ClientSecurity = settled(client)
	return client, a.check(ctx, storage.Client{}, client, true)
}

// keep keeps a new client, if the policy lets who asks register it.
func (a *Apps) keep(ctx context.Context, act storage.Act, client storage.Client, byAdministrator bool) error {
	atMost := 0
	if !mayElevate(act, byAdministrator) {
		var err error
		if atMost, err = a.MayRegister(ctx, client.OwnerUserID); err != nil {
			return err
		}
	}
	if atMost == 0 {
		return a.store.CreateClient(ctx, act, client)
	}
	return a.store.RegisterClient(ctx, act, client, atMost)
}

// MayRegister is Policy.MayRegister.
func (a *Apps) MayRegister(ctx context.Context, userID string) (atMost int, err error) {
	if a.policy == nil {
		return 0, nil
	}
	return a.policy.MayRegister(ctx, userID)
}

// ownerExists is Invalid for an owner whom nobody knows.
func (a *Apps) ownerExists(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	_, err := a.store.FindUser(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return fault.Newf(fault.Invalid, ReasonField, "There is no user with the id %q.", id).At(FieldOwner)
	}
	return err
}

// Find returns the client, disabled ones too, or NotFound.
func (a *Apps) Find(ctx context.Context, id string) (storage.Client, error) {
	client, err := a.store.FindClient(ctx, id)
	return client, named(err, id)
}

// List returns a page of the clients that fit, by name.
func (a *Apps) List(ctx context.Context, filter storage.ClientFilter,
	page storage.PageRequest) (storage.Listing[storage.Client], error) {
	return a.store.ListClients(ctx, filter, page)
}

// Update applies the change and returns the client as it is then. Errors as
// Create, and NotFound. What stays as it is is not judged again for who may
// give it.
func (a *Apps) Update(ctx context.Context, act storage.Act, id string, change Change) (storage.Client, error) {
	before, err := a.Find(ctx, id)
	if err != nil {
		return storage.Client{}, err
	}
	after := change.applied(before)
	if !mayElevate(act, change.ByAdministrator) {
		after = trusted(before, after)
	}
	if err := a.check(ctx, before, after, mayElevate(act, change.ByAdministrator)); err != nil {
		return storage.Client{}, err
	}
	if err := a.store.PatchClient(ctx, act, after, change.Disabled); err != nil {
		return storage.Client{}, named(err, id)
	}
	after.UpdatedAt = act.At
	return after, nil
}

// SetDisabled disables the client, which ends its tokens within a second, or
// enables it. NotFound.
func (a *Apps) SetDisabled(ctx context.Context, act storage.Act, id string, disabled bool) error {
	return named(a.store.SetClientDisabled(ctx, act, id, disabled), id)
}

// Delete removes the client with everything people have granted it. NotFound.
func (a *Apps) Delete(ctx context.Context, act storage.Act, id string) error {
	return named(a.store.DeleteClient(ctx, act, id), id)
}

// mayElevate reports whether the act may give a client more than its
// developer could: the operator always, a person when an administrator.
func mayElevate(act storage.Act, byAdministrator bool) bool {
	return byAdministrator || act.Actor.Kind == storage.ActorOperator
}

// named says which client is absent.
func named(err error, id string) error {
	if fault.Is(err, fault.NotFound) {
		return fault.Newf(fault.NotFound, ReasonNoClient, "There is no client %s.", id).Because(err)
	}
	return err
}
