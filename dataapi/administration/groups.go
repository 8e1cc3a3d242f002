package administration

import (
	"context"

	"github.com/portico-id/portico/dataapi/setup"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// CreateGroup adds a group without members to the hub. Invalid and Conflict,
// with the field; NotFound for an absent hub.
func (a *Rules) CreateGroup(ctx context.Context, change storage.Change, hubID, name string) (storage.Group, error) {
	name, err := setup.Name(name, FieldName)
	if err != nil {
		return storage.Group{}, err
	}
	group := storage.Group{ID: a.ambient.UID(), HubID: hubID, Name: name, CreatedAt: change.At}
	return group, atField(fault.OrAbsent(a.store.CreateGroup(ctx, change, group), FieldHub))
}

// ListGroups returns the hub's groups, ordered by name. NotFound for an absent
// hub.
func (a *Rules) ListGroups(ctx context.Context, hubID string) ([]storage.Group, error) {
	if _, err := a.FindHub(ctx, hubID); err != nil {
		return nil, err
	}
	return a.store.ListGroups(ctx, hubID)
}

// FindGroup returns the hub's group with the id or the name, or NotFound.
func (a *Rules) FindGroup(ctx context.Context, hubID, handle string) (storage.Group, error) {
	group, err := a.store.FindGroup(ctx, hubID, handle)
	if !fault.Is(err, fault.NotFound) {
		return group, err
	}
	if _, err := a.FindHub(ctx, hubID); err != nil {
		return storage.Group{}, err
	}
	return storage.Group{}, fault.Newf(fault.NotFound, storage.ReasonGroupAbsent,
		"The hub has no group %q.", handle).At(FieldGroup)
}

// RenameGroup gives the group a name. Invalid and Conflict, with the field;
// NotFound.
func (a *Rules) RenameGroup(ctx context.Context, change storage.Change, group storage.Group,
	name string) (storage.Group, error) {
	name, err := setup.Name(name, FieldName)
	if err != nil {
		return group, err
	}
	group.Name = name
	return group, atField(fault.OrAbsent(a.store.RenameGroup(ctx, change, group.HubID, group.ID, name), FieldGroup))
}

// DeleteGroup removes the group with the rights it was given. NotFound.
func (a *Rules) DeleteGroup(ctx context.Context, change storage.Change, group storage.Group) error {
	return fault.OrAbsent(a.store.DeleteGroup(ctx, change, group.HubID, group.ID), FieldGroup)
}

// AddToGroup puts the user into the group; they become a member of the hub.
// NotFound.
func (a *Rules) AddToGroup(ctx context.Context, change storage.Change, group storage.Group, userID string) error {
	return atField(a.store.AddGroupMember(ctx, change, group.HubID, group.ID, userID))
}

// RemoveFromGroup takes the user out of the group. NotFound.
func (a *Rules) RemoveFromGroup(ctx context.Context, change storage.Change, group storage.Group, userID string) error {
	return fault.OrAbsent(a.store.RemoveGroupMember(ctx, change, group.HubID, group.ID, userID), "member")
}

// ListGroupMembers returns the ids of who is in the group.
func (a *Rules) ListGroupMembers(ctx context.Context, group storage.Group) ([]string, error) {
	return a.store.ListGroupMembers(ctx, group.HubID, group.ID)
}
