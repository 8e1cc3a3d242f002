package storage

import (
	"context"
	"time"
)

// UserGroup is a group of people of the whole server: its name is what the
// scope groups tells. A hub's groups are Group.
type UserGroup struct {
	ID          string // 22 characters, base64url
	Name        string // unique
	Description string // may be empty
	Members     int    // how many people are in it; read only
	CreatedAt   time.Time
}

// ReasonGroupNameTaken is the reason of the Conflict faults of UserGroupStore.
const ReasonGroupNameTaken = "group_name_taken"

// UserGroupStore keeps the server's groups of people.
type UserGroupStore interface {
	// CreateUserGroup adds a group. Conflict (ReasonGroupNameTaken) when
	// another has the name.
	CreateUserGroup(ctx context.Context, act Act, group UserGroup) error

	// FindUserGroup returns the group, or NotFound.
	FindUserGroup(ctx context.Context, id string) (UserGroup, error)

	// FindUserGroupByName returns the group with the name, whatever its case, or
	// NotFound.
	FindUserGroupByName(ctx context.Context, name string) (UserGroup, error)

	// ListUserGroups returns a page of the groups by name. Query, when not empty,
	// is the id, or in the name or the description, whatever its case and
	// accents. Invalid for a cursor that is none.
	ListUserGroups(ctx context.Context, query string, page PageRequest) (Listing[UserGroup], error)

	// UpdateUserGroup makes name and description what change says of them as they are,
	// which nobody changes meanwhile, and returns the group. NotFound; Conflict as
	// CreateUserGroup; what change returns.
	UpdateUserGroup(ctx context.Context, act Act, id string, change func(*UserGroup) error) (UserGroup, error)

	// DeleteUserGroup removes the group; its members stay. NotFound.
	DeleteUserGroup(ctx context.Context, act Act, id string) error

	// AddUserGroupMember puts the user into the group. Repeating it changes
	// nothing. NotFound for an absent group or user.
	AddUserGroupMember(ctx context.Context, act Act, groupID, userID string) error

	// DeleteUserGroupMember takes the user out again. NotFound when they are
	// not in it.
	DeleteUserGroupMember(ctx context.Context, act Act, groupID, userID string) error

	// ListGroupsOfUser returns the groups that the user is in, ordered by
	// folded name.
	ListGroupsOfUser(ctx context.Context, userID string) ([]UserGroup, error)
}
