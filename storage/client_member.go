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

// ClientMemberStore keeps who manages clients beside their owners.
type ClientMemberStore interface {
	// AddClientMember lets the user manage the client. Repeating it changes
	// nothing. NotFound for an absent client or user.
	AddClientMember(ctx context.Context, act Act, clientID, userID string) error

	// DeleteClientMember ends that. NotFound.
	DeleteClientMember(ctx context.Context, act Act, clientID, userID string) error

	// ListClientMembers returns who manages the client beside its owner, in
	// the order in which they were added; none for an absent client.
	ListClientMembers(ctx context.Context, clientID string) ([]ClientMember, error)
}
