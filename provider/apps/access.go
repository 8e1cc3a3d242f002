package apps

import (
	"context"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// What can be named for a restricted app, and the fields of the forms that do it.
const (
	AccessGroups = "groups"
	AccessUsers  = "users"

	FieldRestricted = "restricted"
	FieldGroup      = "group"
	FieldUser       = "user"
)

// Access returns the groups and people who are named for a client, which count
// while it is Restricted.
func (a *Apps) Access(ctx context.Context, clientID string) ([]storage.ClientAccess, error) {
	return a.store.ListClientAccess(ctx, clientID)
}

// Named returns the group with the name or id, or the person with the address,
// user name or id. Invalid for one that is not there.
func (a *Apps) Named(ctx context.Context, kind, handle string) (storage.ClientAccess, error) {
	handle = strings.TrimSpace(handle)
	if kind == AccessUsers {
		user, err := a.person(ctx, handle)
		return storage.ClientAccess{UserID: user.ID},
			orInvalid(err, "Nobody has this e-mail address or user name.", FieldUser)
	}
	group, err := a.store.FindUserGroupByName(ctx, handle)
	if fault.Is(err, fault.NotFound) {
		group, err = a.store.FindUserGroup(ctx, handle)
	}
	return storage.ClientAccess{GroupID: group.ID}, orInvalid(err, "No group has this name.", FieldGroup)
}

// person returns the user with the id, address or user name, or NotFound.
func (a *Apps) person(ctx context.Context, handle string) (storage.User, error) {
	user, err := a.store.FindUser(ctx, handle)
	if fault.Is(err, fault.NotFound) {
		user, _, err = a.store.FindUserByLogin(ctx, handle)
	}
	return user, err
}

// Allow names a group or a person for the client. NotFound for one that is not
// there; Conflict (storage.ReasonAccessFull).
func (a *Apps) Allow(ctx context.Context, act storage.Act, clientID string, who storage.ClientAccess) error {
	return notNamed(a.store.AllowClient(ctx, act, clientID, who))
}

// Disallow ends that, and within a second what the app gave them. NotFound.
func (a *Apps) Disallow(ctx context.Context, act storage.Act, clientID string, who storage.ClientAccess) error {
	return notNamed(a.store.DisallowClient(ctx, act, clientID, who))
}

func notNamed(err error) error {
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.NotFound, ReasonNotNamed,
			"The app, or the group or person, is not there, or was taken off its list.").Because(err)
	}
	return err
}
