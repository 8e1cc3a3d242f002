package storage

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
	GrantedAbove Level // the same without what is given on the folder itself; of one that was found by itself
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
