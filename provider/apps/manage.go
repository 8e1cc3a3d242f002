package apps

import (
	"context"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// Reasons of the faults of who manages an app.
const (
	ReasonNoMember = "member_not_found"
	ReasonIsOwner  = "is_owner"
)

// Managed returns the client if the person owns it or was added to it. To
// everybody else it is NotFound, like one that never was; administrators have
// pages of their own for other people's apps.
func (a *Apps) Managed(ctx context.Context, userID, clientID string) (storage.Client, error) {
	client, err := a.Find(ctx, clientID)
	if userID == "" || fault.Is(err, fault.NotFound) {
		return storage.Client{}, noClient()
	}
	if err != nil {
		return storage.Client{}, err
	}
	if client.OwnerUserID == userID {
		return client, nil
	}
	members, err := a.store.ListClientMembers(ctx, clientID)
	if err != nil {
		return storage.Client{}, err
	}
	if !slices.ContainsFunc(members, func(m storage.ClientMember) bool { return m.UserID == userID }) {
		return storage.Client{}, noClient()
	}
	return client, nil
}

func noClient() error {
	return fault.New(fault.NotFound, ReasonNoClient,
		"There is no such app, or you are not among the people who manage it.")
}

// maxManaged bounds how many apps of one person the portal lists.
const maxManaged = 1000

// ListManaged returns what the person manages, by name.
func (a *Apps) ListManaged(ctx context.Context, userID string) ([]storage.Client, error) {
	var all []storage.Client
	for page := (storage.PageRequest{}); len(all) < maxManaged; {
		clients, err := a.store.ListClients(ctx, storage.ClientFilter{Manager: userID}, page)
		if err != nil {
			return nil, err
		}
		all = append(all, clients.Rows...)
		if page.After = clients.Next; page.After == "" {
			break
		}
	}
	return all, nil
}

// Members returns who manages the client beside its owner.
func (a *Apps) Members(ctx context.Context, clientID string) ([]storage.ClientMember, error) {
	return a.store.ListClientMembers(ctx, clientID)
}

// Manager is somebody who manages a client.
type Manager struct {
	storage.ClientMember
	Owner bool
}

// Managers returns the client's owner, if it has one, and its members.
func (a *Apps) Managers(ctx context.Context, client storage.Client) ([]Manager, error) {
	owner, known, err := a.Owner(ctx, client)
	if err != nil {
		return nil, err
	}
	var all []Manager
	if known {
		all = append(all, Manager{storage.ClientMember{ClientID: client.ID, UserID: owner.ID, Name: owner.Profile.Name,
			Email: owner.Email}, true})
	}
	members, err := a.Members(ctx, client.ID)
	for _, m := range members {
		all = append(all, Manager{ClientMember: m})
	}
	return all, err
}

// AddMember lets the person with the verified e-mail address, or the user name,
// manage the client. One answer for everybody who can't be added: nobody learns
// here who has an account.
func (a *Apps) AddMember(ctx context.Context, act storage.Act, client storage.Client, login string) error {
	nobody := fault.New(fault.Invalid, ReasonNoMember,
		"Nobody who can be added has this address or user name. An address must be verified first.").At(FieldMember)
	login = strings.TrimSpace(login)
	user, _, err := a.store.FindUserByLogin(ctx, login)
	if fault.Is(err, fault.NotFound) {
		return nobody
	}
	if err != nil {
		return err
	}
	byAddress := strings.Contains(login, "@")
	if user.Disabled || byAddress && !user.EmailVerified {
		return nobody
	}
	if user.ID == client.OwnerUserID {
		return fault.New(fault.Invalid, ReasonIsOwner, "The owner manages the app already.").At(FieldMember)
	}
	return named(a.store.AddClientMember(ctx, act, client.ID, user.ID), client.ID)
}

// RemoveMember ends that. NotFound.
func (a *Apps) RemoveMember(ctx context.Context, act storage.Act, clientID, userID string) error {
	return a.store.DeleteClientMember(ctx, act, clientID, userID)
}

// Owner is clientprofile.Owner.
func (a *Apps) Owner(ctx context.Context, client storage.Client) (storage.User, bool, error) {
	return clientprofile.Owner(ctx, a.store, client)
}
