package storage

import (
	"cmp"
	"context"
	"time"
)

// ClientMember is a person who manages a client beside its owner.
type ClientMember struct {
	ClientID string
	UserID   string
	Name     string // of the person, as it is now; may be empty
	Email    string
	AddedAt  time.Time
}

// Title is what people call the member.
func (m ClientMember) Title() string { return cmp.Or(m.Name, m.Email) }

// ClientInvitation asks somebody to manage a client. Whoever has an address that
// was typed is who has shown it to be theirs when they look.
type ClientInvitation struct {
	ID        string
	ClientID  string
	App       string // name of the client, as it is now
	Invitee   string // address or user name, as it was typed
	UserID    string // who had the user name; empty for an address, and for nobody
	InvitedBy string // user; empty for who is gone
	Inviter   string // what people call them, as it is now
	CreatedAt time.Time
	ExpiresAt time.Time
}

// ClientMemberStore keeps who manages clients beside their owners.
type ClientMemberStore interface {
	// AddClientMember lets the user manage the client. Repeating it changes
	// nothing. NotFound for an absent client or user.
	AddClientMember(ctx context.Context, act Act, clientID, userID string) error

	// DeleteClientMember ends that, and the invitations by which the user could come back.
	// NotFound.
	DeleteClientMember(ctx context.Context, act Act, clientID, userID string) error

	// ListClientMembers returns who manages any of the clients beside their owners, in
	// the order in which they were added; none of an absent client. At most MaxPage ids.
	ListClientMembers(ctx context.Context, clientIDs ...string) ([]ClientMember, error)

	// InviteClientMember keeps an invitation, in the place of an older one of the
	// same invitee. NotFound for an absent client. It counts while who made it
	// manages the client or is an administrator, and is enabled; it goes with them.
	InviteClientMember(ctx context.Context, act Act, invitation ClientInvitation) error

	// ListClientInvitations returns those of the client that count at
	// now, in the order in which they were made.
	ListClientInvitations(ctx context.Context, clientID string, now time.Time) ([]ClientInvitation, error)

	// ListInvitationsOf returns those that the user can accept at now.
	ListInvitationsOf(ctx context.Context, userID string, now time.Time) ([]ClientInvitation, error)

	// AcceptClientInvitation makes the user a member by an invitation that they can
	// accept at the time of the act, and ends it. NotFound for every other.
	AcceptClientInvitation(ctx context.Context, act Act, id, userID string) error

	// DeclineClientInvitation ends such an invitation. NotFound as before.
	DeclineClientInvitation(ctx context.Context, act Act, id, userID string) error

	// DeleteClientInvitation takes an invitation of the client back. NotFound.
	DeleteClientInvitation(ctx context.Context, act Act, clientID, id string) error
}
