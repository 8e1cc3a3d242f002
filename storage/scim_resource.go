package storage

import (
	"context"
	"time"
)

// SCIMResource is what a user and a group of a connection have alike.
type SCIMResource struct {
	ConnectionID string
	ID           string // of the user or the group
	ExternalID   string // the company's; unique in the connection; may be empty
	Version      int64  // grows with every change
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// SCIMUser is a person whom a company sent.
type SCIMUser struct {
	SCIMResource
	UserName string // as the company calls them; unique in the connection
	Active   bool   // the company wants them to sign in
	Document []byte // JSON: what the company said of them
	User     User   // as they are on this server; Disabled may be an administrator's wish, too
}

// SCIMGroup is a group that a company sent.
type SCIMGroup struct {
	SCIMResource
	DisplayName string // unique in the connection
	Name        string // of the UserGroup
}

// SCIMMember is a person in a group.
type SCIMMember struct {
	GroupID   string
	GroupName string // as the company calls it
	UserID    string
	UserName  string // likewise
}

// Owned are the fields that are the company's alone where it sent the user.
func (u *User) Owned() []*string {
	p := &u.Profile
	return []*string{&u.Email, &p.Name, &p.GivenName, &p.FamilyName, &p.MiddleName, &p.Nickname,
		&p.ProfileURL, &p.PhoneNumber, &p.JobTitle, &p.Company}
}

// SCIMField is what a SCIMFilter compares.
type SCIMField string

// The fields.
const (
	SCIMID         SCIMField = "id"
	SCIMName       SCIMField = "name" // userName or displayName
	SCIMExternalID SCIMField = "externalId"
	SCIMCreated    SCIMField = "created"
	SCIMModified   SCIMField = "modified"
	SCIMEmail      SCIMField = "email"  // of users: the address that they have here
	SCIMActive     SCIMField = "active" // of users
	SCIMMemberID   SCIMField = "member" // of groups: the id of somebody in it
)

// SCIMFilter is a condition. The zero value holds for everything; at most one of
// All, Any, Not and Field is set.
type SCIMFilter struct {
	All []SCIMFilter
	Any []SCIMFilter
	Not *SCIMFilter

	Field SCIMField
	Op    Op
	Value any // string, bool or time.Time, as the field is
}

// SCIMPage is a part of a list, in the order of the ids.
type SCIMPage struct {
	Skip  int
	Limit int // 0: none, the number of all is wanted
}

// SCIMUserStore keeps the people whom companies sent. All of it is within one
// connection: what belongs to another, or to none, is NotFound. Who is deleted is
// hidden: NotFound, until they are created anew.
//
// Who is not active is disabled, and nobody else enables them; who becomes active
// is enabled, unless an administrator of the server has disabled them, too. Who administers the server is left alone:
// Forbidden
// (ReasonUntouchable).
type SCIMUserStore interface {
	// CreateSCIMUser adds the user, or revives the one with the same UserName or
	// ExternalID who is hidden or not active, unless both have an ExternalID, and not the
	// same one, which is Conflict (ReasonTaken); the id is theirs then. With takeOver a
	// user of the server who is nobody's and has the address or User.ID becomes the
	// connection's; where the address was never verified, without password, factors,
	// sessions and grants from then on. So does one for whom somebody signed up and whom
	// nobody is yet, where User.EmailVerified says whose the address is. Conflict (ReasonTaken).
	CreateSCIMUser(ctx context.Context, act Act, user SCIMUser, takeOver bool) (SCIMUser, error)

	// FindSCIMUser returns the user. NotFound.
	FindSCIMUser(ctx context.Context, connectionID, id string) (SCIMUser, error)

	// ListSCIMUsers returns those who fit, and how many there are on all pages.
	ListSCIMUsers(ctx context.Context, connectionID string, filter SCIMFilter, page SCIMPage) ([]SCIMUser, int, error)

	// UpdateSCIMUser makes of the user what change makes of them, which may be asked
	// more than once; nobody else changes them meanwhile. Without a difference
	// nothing is written. NotFound; Conflict (ReasonTaken).
	UpdateSCIMUser(ctx context.Context, act Act, connectionID, id string,
		change func(SCIMUser) (SCIMUser, error)) (SCIMUser, error)

	// DeleteSCIMUser hides the user and disables them, if check, which is shown them
	// first, lets it. NotFound.
	DeleteSCIMUser(ctx context.Context, act Act, connectionID, id string, check func(SCIMUser) error) error

	// SweepHiddenPeople deletes at most limit users who were hidden before a time,
	// and returns how many; fewer than limit means done for now.
	SweepHiddenPeople(ctx context.Context, act Act, before time.Time, limit int) (int, error)
}

// SCIMGroupChange is one step of a change of a group. Set statements do it: of
// those that run at once none is lost.
type SCIMGroupChange struct {
	DisplayName *string // nil: stays
	ExternalID  *string
	Clear       bool     // everybody goes before those of Add come
	Add         []string // ids of users of the connection
	Remove      []string // whoever they are
}

// SCIMGroupStore keeps the groups that companies sent, in the way of SCIMUserStore.
type SCIMGroupStore interface {
	// CreateSCIMGroup adds the group, by the name that the connection's prefix makes
	// of it, with the members. Conflict (ReasonTaken); Invalid (ReasonNoMember).
	CreateSCIMGroup(ctx context.Context, act Act, group SCIMGroup, members []string) (SCIMGroup, error)

	// FindSCIMGroup returns the group. NotFound.
	FindSCIMGroup(ctx context.Context, connectionID, id string) (SCIMGroup, error)

	// ListSCIMGroups returns those that fit, and how many there are on all pages.
	ListSCIMGroups(ctx context.Context, connectionID string, filter SCIMFilter, page SCIMPage) ([]SCIMGroup, int, error)

	// ListSCIMMembers returns at most limit members of the groups, by group and user,
	// without those who are hidden.
	ListSCIMMembers(ctx context.Context, groupIDs []string, limit int) ([]SCIMMember, error)

	// ListSCIMGroupsOf returns the groups of the users, by user.
	ListSCIMGroupsOf(ctx context.Context, userIDs []string) ([]SCIMMember, error)

	// UpdateSCIMGroup does the steps, all or none, if check, which is shown the group
	// first, lets it. NotFound; Conflict (ReasonTaken); Invalid (ReasonNoMember).
	UpdateSCIMGroup(ctx context.Context, act Act, connectionID, id string, check func(SCIMGroup) error,
		steps []SCIMGroupChange) (SCIMGroup, error)

	// DeleteSCIMGroup removes the group; its people stay. Otherwise as UpdateSCIMGroup.
	DeleteSCIMGroup(ctx context.Context, act Act, connectionID, id string, check func(SCIMGroup) error) error
}
