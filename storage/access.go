package storage

import "context"

// FolderGrant gives a level in a folder and everything below it to a user, a
// service account or a group: one of the two ids is set.
type FolderGrant struct {
	FolderID string
	UserID   string
	GroupID  string
	Level    Level
}

// AccessReason is one of the things a level follows from.
type AccessReason struct {
	HubAdmin     bool
	ProjectAdmin bool

	// Otherwise a grant, with the group's name when it is a group's.
	Grant      FolderGrant
	GroupName  string
	FolderName string
}

// AccessStore keeps levels in folders.
type AccessStore interface {
	// SetFolderGrant gives the level, or changes the one given before; the same
	// level again changes nothing. A user who is no member of the hub becomes
	// one. NotFound for an absent folder, group of the project's hub
	// (ReasonGroupAbsent) or user (ReasonUserAbsent); Invalid unless the level
	// is one of the six and one of the ids is set.
	SetFolderGrant(ctx context.Context, change Change, projectID string, grant FolderGrant) error

	// RemoveFolderGrant takes it back; the level of the grant doesn't matter.
	// NotFound.
	RemoveFolderGrant(ctx context.Context, change Change, projectID string, grant FolderGrant) error

	// ListFolderGrants returns what is given in this very folder, ordered by
	// user and group id; NotFound for an absent folder.
	ListFolderGrants(ctx context.Context, projectID, folderID string) ([]FolderGrant, error)

	// ExplainAccess returns everything that the user's level in the folder
	// follows from: roles first, then grants of the folder and its ancestors,
	// the strongest first. NotFound for an absent folder.
	ExplainAccess(ctx context.Context, userID, projectID, folderID string) ([]AccessReason, error)
}
