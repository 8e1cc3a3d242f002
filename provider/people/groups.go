package people

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

// Reasons and fields of groups.
const (
	ReasonNoGroup = "group_not_found"

	FieldDescription = "description"
	FieldMember      = "member"
)

const maxGroupName = 100 // characters: relying parties show and match it

// NewGroup is a group that is to be, or what one is to become.
type NewGroup struct {
	Name        string
	Description string
}

func (g NewGroup) check() error {
	var faults fault.List
	if textkey.Blank(g.Name) || !isLine(g.Name, maxGroupName) {
		faults.Add(fault.Newf(fault.Invalid, ReasonField, "The name must be a text of 1 to %d characters in one line.",
			maxGroupName).At(FieldName))
	}
	if !isLine(g.Description, maxLine) {
		faults.Add(fault.Newf(fault.Invalid, ReasonField,
			"The description must be a text of at most %d characters in one line.", maxLine).At(FieldDescription))
	}
	return faults.Err()
}

// CheckGroup is nil for what a group may be called and described as; else Invalid, a
// fault.List.
func CheckGroup(name, description string) error { return NewGroup{name, description}.check() }

// CreateGroup adds a group. Invalid, a fault.List; Conflict
// (storage.ReasonGroupNameTaken).
func (p *People) CreateGroup(ctx context.Context, act storage.Act, g NewGroup) (storage.UserGroup, error) {
	g.Name, g.Description = trimmed(g.Name), trimmed(g.Description)
	if err := g.check(); err != nil {
		return storage.UserGroup{}, err
	}
	group := storage.UserGroup{ID: p.ambient.UID(), Name: g.Name, Description: g.Description, CreatedAt: act.At}
	return group, namedGroup(p.store.CreateUserGroup(ctx, act, group), g.Name)
}

// UpdateGroup renames and describes a group, as change says of it as it is. Errors as
// CreateGroup; NotFound.
func (p *People) UpdateGroup(ctx context.Context, act storage.Act, id string,
	change func(NewGroup) NewGroup) (storage.UserGroup, error) {
	var g NewGroup
	group, err := p.store.UpdateUserGroup(ctx, act, id, func(group *storage.UserGroup) error {
		g = change(NewGroup{Name: group.Name, Description: group.Description})
		g.Name, g.Description = trimmed(g.Name), trimmed(g.Description)
		group.Name, group.Description = g.Name, g.Description
		return g.check()
	})
	return group, namedGroup(err, g.Name)
}

// FindGroup returns the group, or NotFound.
func (p *People) FindGroup(ctx context.Context, id string) (storage.UserGroup, error) {
	group, err := p.store.FindUserGroup(ctx, id)
	return group, namedGroup(err, id)
}

// ListGroups returns a page of groups by name; with a query those in whose name or
// description it is.
func (p *People) ListGroups(ctx context.Context, query string,
	page storage.PageRequest) (storage.Listing[storage.UserGroup], error) {
	return p.store.ListUserGroups(ctx, query, page)
}

// DeleteGroup removes the group; its people stay. NotFound.
func (p *People) DeleteGroup(ctx context.Context, act storage.Act, id string) error {
	return namedGroup(p.store.DeleteUserGroup(ctx, act, id), id)
}

// GroupsOf returns the groups that the user is in, by name.
func (p *People) GroupsOf(ctx context.Context, userID string) ([]storage.UserGroup, error) {
	return p.store.ListGroupsOfUser(ctx, userID)
}

// AddToGroup puts the user whose id, address or user name it is into the
// group. Invalid (ReasonNoUser) when there is none; NotFound for the group.
func (p *People) AddToGroup(ctx context.Context, act storage.Act, groupID, handle string) error {
	user, err := p.Find(ctx, trimmed(handle))
	if fault.Is(err, fault.NotFound) {
		return fault.From(err).Retold(fault.Invalid, ReasonNoUser).At(FieldMember)
	}
	if err != nil {
		return err
	}
	return namedGroup(p.store.AddUserGroupMember(ctx, act, groupID, user.ID), groupID)
}

// RemoveFromGroup takes the user out of the group. NotFound when they are not
// in it.
func (p *People) RemoveFromGroup(ctx context.Context, act storage.Act, groupID, userID string) error {
	return p.store.DeleteUserGroupMember(ctx, act, groupID, userID)
}

func namedGroup(err error, name string) error {
	switch {
	case fault.Is(err, fault.NotFound):
		return fault.New(fault.NotFound, ReasonNoGroup, "There is no such group.").Because(err)
	case fault.HasReason(err, storage.ReasonGroupNameTaken):
		return fault.Newf(fault.Conflict, storage.ReasonGroupNameTaken, "Another group is called %s.",
			name).At(FieldName).Because(err)
	}
	return err
}
