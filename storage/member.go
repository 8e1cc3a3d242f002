package storage

import (
	"context"
	"time"
)

// Member is a user or service account in a hub or a project.
type Member struct {
	UserID  string
	Admin   bool
	AddedAt time.Time
}

// MemberStore keeps who belongs to hubs and projects. A member of a project is
// always one of its hub. Rights end when the user or service account is
// deleted.
type MemberStore interface {
	// SetHubMember adds the member or changes the role; the same again changes
	// nothing. NotFound for an absent hub or user (ReasonUserAbsent).
	SetHubMember(ctx context.Context, change Change, hubID, userID string, admin bool) error

	// RemoveHubMember takes the user out of the hub, of its projects, groups
	// and facilities, and takes every folder grant in them back. NotFound.
	RemoveHubMember(ctx context.Context, change Change, hubID, userID string) error

	// ListHubMembers returns a page ordered by user id, and the next cursor.
	ListHubMembers(ctx context.Context, hubID string, page PageRequest) ([]Member, string, error)

	// FindHubMember returns the member, or NotFound.
	FindHubMember(ctx context.Context, hubID, userID string) (Member, error)

	// SetProjectMember adds the member or changes the role; a user who is no
	// member of the hub becomes one. The same again changes nothing. NotFound
	// for an absent project or user (ReasonUserAbsent).
	SetProjectMember(ctx context.Context, change Change, projectID, userID string, admin bool) error

	// RemoveProjectMember takes the user out of the project and takes the
	// user's own folder grants in it back; those of groups stay. NotFound.
	RemoveProjectMember(ctx context.Context, change Change, projectID, userID string) error

	// ListProjectMembers returns a page ordered by user id, and the next
	// cursor.
	ListProjectMembers(ctx context.Context, projectID string, page PageRequest) ([]Member, string, error)

	// FindProjectMember returns the member, or NotFound.
	FindProjectMember(ctx context.Context, projectID, userID string) (Member, error)
}

// Group is a set of members of a hub that rights can be given to.
type Group struct {
	ID        string // 22 base64url characters
	HubID     string
	Name      string
	CreatedAt time.Time
}

// GroupStore keeps the groups of hubs.
type GroupStore interface {
	// CreateGroup adds the group. NotFound for an absent hub; Conflict when
	// the id is taken, and ReasonNameTaken when a group of the hub has the
	// name.
	CreateGroup(ctx context.Context, change Change, group Group) error

	// RenameGroup gives the group a name; the same name changes nothing.
	// NotFound; Conflict (ReasonNameTaken).
	RenameGroup(ctx context.Context, change Change, hubID, groupID, name string) error

	// DeleteGroup removes the group with its folder grants. NotFound.
	DeleteGroup(ctx context.Context, change Change, hubID, groupID string) error

	// ListGroups returns the hub's groups ordered by name key; none for an
	// absent hub.
	ListGroups(ctx context.Context, hubID string) ([]Group, error)

	// FindGroup returns the hub's group with the id, or else that of the name, or NotFound
	// (ReasonGroupAbsent).
	FindGroup(ctx context.Context, hubID, handle string) (Group, error)

	// AddGroupMember adds the user, who becomes a member of the hub when they
	// are none; repeating it changes nothing. NotFound for an absent group
	// (ReasonGroupAbsent) or user (ReasonUserAbsent).
	AddGroupMember(ctx context.Context, change Change, hubID, groupID, userID string) error

	// RemoveGroupMember takes the user out. NotFound.
	RemoveGroupMember(ctx context.Context, change Change, hubID, groupID, userID string) error

	// ListGroupMembers returns the user ids in order; none for an absent group.
	ListGroupMembers(ctx context.Context, hubID, groupID string) ([]string, error)
}
