package storage

import (
	"cmp"
	"context"
	"time"
)

// User is a person who can sign in.
type User struct {
	ID            string // 16 upper-case letters and digits
	Email         string
	EmailVerified bool
	Username      string // may be empty; never contains '@', so it can't pose as an address
	Admin         bool   // server administrator
	Disabled      bool
	Profile       Profile
	TwoFactor     bool   // has a second factor or a passkey; read only
	Portrait      string // hash of the picture of theirs that is kept here; empty: none; read only
	CreatedAt     time.Time
	UpdatedAt     time.Time // of the profile, the address or the user name
	LastSignInAt  time.Time // zero: never
	EndsAt        time.Time // when it is removed, unless somebody has a way in by then; zero: never
}

// Title is what people call the user.
func (u User) Title() string { return cmp.Or(u.Profile.Name, u.Email) }

// Profile is what a person tells about themselves: the fields of S1 2.9 that
// can be edited. Empty text means unknown.
type Profile struct {
	Name                string
	GivenName           string
	FamilyName          string
	MiddleName          string
	Nickname            string
	Website             string
	Gender              string
	Birthdate           string // YYYY-MM-DD, or YYYY; the year 0000 is left unsaid
	Zone                string // of the IANA database, such as Europe/Paris
	ProfileURL          string
	PictureURL          string
	Locale              string // BCP 47, such as en-US
	CountryCode         string // ISO 3166
	PhoneNumber         string
	PhoneNumberVerified bool
	Address             Address
	JobTitle            string
	Industry            string
	IndustryCode        string
	AboutMe             string
	Language            string // ISO 639
	Company             string
	EIDMGUID            string            // empty: the user id stands for it
	OptIn               bool              // agreed to marketing
	LDAPDomain          string            // empty: not from a directory
	Thumbnails          map[string]string // "sizeX<N>" to URL
}

// Address is a postal address; StreetAddress may span lines.
type Address struct {
	StreetAddress string
	Locality      string
	Region        string
	PostalCode    string
	Country       string
}

// UserFilter narrows a list of users; empty fields keep everybody.
type UserFilter struct {
	Query     string   // is the id, or in the name, the address or the user name, whatever its case and accents
	GroupID   string   // in this UserGroup
	IDs       []string // one of these, at most MaxPage; nil: whoever it is
	Admin     *bool
	Disabled  *bool
	TwoFactor *bool // has a second factor or a passkey
}

// Reasons of Conflict faults of UserStore.
const (
	ReasonLastAdmin     = "last_administrator" // nobody would be left to administrate the server
	ReasonEmailTaken    = "email_taken"
	ReasonUsernameTaken = "username_taken"
)

// UserStore keeps people and their passwords.
//
// An act that would leave no enabled administrator where there is one is a
// Conflict (ReasonLastAdmin), unless it is forced; of parallel ones, too, one
// administrator stays.
type UserStore interface {
	// CreateUser adds a user with a password hash in PHC form; an empty hash
	// leaves the user without a password. Conflict (ReasonEmailTaken,
	// ReasonUsernameTaken) when another user has the address or the name.
	CreateUser(ctx context.Context, act Act, user User, passwordHash string) error

	// FindUser returns the user, disabled ones too, or NotFound.
	FindUser(ctx context.Context, id string) (User, error)

	// FindUserByLogin returns the user whose e-mail address or user name it
	// is, disabled ones too, with the password hash ("" when there is none),
	// or NotFound.
	FindUserByLogin(ctx context.Context, login string) (User, string, error)

	// FindPasswordHash returns the user's password hash, "" when there is
	// none, or NotFound for an absent user.
	FindPasswordHash(ctx context.Context, userID string) (string, error)

	// ListUsers returns a page of the users that fit, by what people call them.
	// Invalid for a cursor that is none.
	ListUsers(ctx context.Context, filter UserFilter, page PageRequest) (Listing[User], error)

	// CountAdmins returns how many enabled administrators there are.
	CountAdmins(ctx context.Context) (int, error)

	// UpdateUser replaces address, user name and profile of the user with the
	// same id and sets UpdatedAt to act.At. Admin becomes what admin says, and
	// stays when that is nil, so that who edits a profile brings no right back
	// that was taken away meanwhile. Disabled, TwoFactor, Portrait and the other times
	// are left as they are. NotFound; Conflict as CreateUser,
	// ReasonLastAdmin, and ReasonChanged where UpdatedAt has moved on since the user was read.
	UpdateUser(ctx context.Context, act Act, user User, admin *bool) error

	// PatchUser is UpdateUser and SetUserDisabled in one act; nil: that stays as it is.
	PatchUser(ctx context.Context, act Act, user User, admin, disabled *bool) error

	// SetPassword replaces the password, revokes every grant of the user and
	// ends every session except keepSession (a LoginSession id; may be empty).
	// NotFound for an absent user.
	SetPassword(ctx context.Context, act Act, userID, passwordHash, keepSession string) error

	// RehashPassword replaces the hash if it still is old, and nothing else:
	// the same password under newer parameters. No error when it is not.
	RehashPassword(ctx context.Context, userID, old, fresh string) error

	// SetUserDisabled disables or enables the user; disabling also revokes
	// every grant and ends every session. Repeating it changes nothing.
	// NotFound for an absent user; Conflict (ReasonLastAdmin).
	SetUserDisabled(ctx context.Context, act Act, userID string, disabled bool) error

	// DeleteUser removes the user with credentials, sessions, consents, grants,
	// codes and portrait. Whoever manages a client of theirs for longest owns it
	// from then on. NotFound for an absent user; Conflict (ReasonLastAdmin).
	DeleteUser(ctx context.Context, act Act, userID string) error
}
