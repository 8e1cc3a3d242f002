package storage

import "context"

// ClientAccess is somebody for whom a restricted client is: a group of the server
// or a person.
type ClientAccess struct {
	GroupID string // one of the two
	UserID  string
	Name    string // of the group or the person, as it is now; may be empty
	Email   string // of a person
}

// MaxClientAccess is how many groups and people are named for one client: more
// people than that are a group.
const MaxClientAccess = 200

// ReasonAccessFull is the reason of the Conflict of one more.
const ReasonAccessFull = "access_full"

// ClientAccessStore keeps who may use restricted clients. What they may not use
// any more gives them no token, and those they have are worth nothing at once:
// every look at a token or a grant asks anew.
type ClientAccessStore interface {
	// AllowClient names a group or a person for the client. Repeating it changes
	// nothing. NotFound for an absent client, group or user; Conflict
	// (ReasonAccessFull).
	AllowClient(ctx context.Context, act Act, clientID string, who ClientAccess) error

	// DisallowClient takes the name off the list. NotFound.
	DisallowClient(ctx context.Context, act Act, clientID string, who ClientAccess) error

	// ListClientAccess returns who is named for the client: groups, then people,
	// each in the order of their ids. None for an absent client.
	ListClientAccess(ctx context.Context, clientID string) ([]ClientAccess, error)

	// MayUseClient reports whether the user is one of those for whom the client
	// is: of all, if it is not Restricted. False for an absent one of either.
	MayUseClient(ctx context.Context, clientID, userID string) (bool, error)
}
