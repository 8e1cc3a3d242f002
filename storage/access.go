package storage

import "context"

// Level is what somebody may do in a folder; each includes those before it.
type Level int

// The levels. LevelNone, the zero value, is no right at all.
const (
	LevelNone        Level = iota
	LevelView              // see and list
	LevelDownload          // read the bytes
	LevelPublish           // upload
	LevelCollaborate       // create folders, add versions, rename
	LevelEdit              // move, hide and restore; see what is hidden
	LevelControl           // give rights
)

// Caller is on whose behalf something is read or changed. The zero Caller is
// the operator, who may do everything.
type Caller struct {
	ClientID string // the app; empty: none stands between, as on our own pages
	UserID   string // a user or a service account; empty: the app acts by itself
	OnBehalf bool   // the app itself names the user (x-user-id): two-legged
}

// Standing is what the store knows of a caller in one place: facts, gathered in
// the query that found the place. Fields that don't apply to the place are
// zero.
type Standing struct {
	Caller      Caller
	AppLevel    Level // at which the app is provisioned in the hub; LevelControl without an app
	AppActsFor  bool  // the provisioning lets the app act for the user; true unless OnBehalf
	UserEnabled bool  // the user or service account exists and is enabled; true without one
	HubMember   bool
	HubAdmin    bool

	ProjectAdmin bool
	InProject    bool  // is a member of the project, or is given a level in it, also through a group
	Granted      Level // highest level on the folder or an ancestor, own or through a group
}

// Admitted reports whether the hub is open to the caller at all: the app is
// provisioned there, and the user is an enabled member whom the app may act
// for.
func (s Standing) Admitted() bool {
	if s.AppLevel == LevelNone || !s.AppActsFor || !s.UserEnabled {
		return false
	}
	return s.Caller.UserID == "" || s.HubMember
}

// Everywhere reports whether the caller's rights don't depend on folders: the
// app by itself, a hub admin and a project admin.
func (s Standing) Everywhere() bool {
	return s.Caller.UserID == "" || s.HubAdmin || s.ProjectAdmin
}

// HasPart reports whether the caller has anything to do with the project.
func (s Standing) HasPart() bool {
	return s.Admitted() && (s.Everywhere() || s.InProject)
}

// Level returns the effective level: LevelNone unless Admitted; the app's for
// the app by itself; the user's for a user, but never more than the app's when
// the app names the user (J12).
func (s Standing) Level() Level {
	if !s.Admitted() {
		return LevelNone
	}
	if s.Caller.UserID == "" {
		return s.AppLevel
	}
	level := s.Granted
	if s.Everywhere() {
		level = LevelControl
	}
	if s.Caller.OnBehalf {
		level = min(level, s.AppLevel)
	}
	return level
}

// Place is a project with its hub, and how the caller stands there.
type Place struct {
	Hub      Hub
	Project  Project
	Standing Standing
}

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
