package storage

import (
	"context"
	"time"
)

// LinkPurpose is what a one-time link is good for.
type LinkPurpose string

// The purposes of one-time links.
const (
	LinkSetUp    LinkPurpose = "set_up"   // makes the first administrator
	LinkPassword LinkPurpose = "password" // sets a user's password
)

// OneTimeLink is a link that works once. The token in it is kept as its hash.
type OneTimeLink struct {
	Hash      []byte // SHA-256 of the token
	Purpose   LinkPurpose
	UserID    string // empty for LinkSetUp
	ExpiresAt time.Time
}

// OneTimeLinkStore keeps one-time links.
type OneTimeLinkStore interface {
	// CreateOneTimeLink adds the link; an earlier one of the same purpose and
	// user is void from then on. NotFound for an absent user.
	CreateOneTimeLink(ctx context.Context, act Act, link OneTimeLink) error

	// FindOneTimeLink returns a link of the purpose that is not over at now,
	// or NotFound.
	FindOneTimeLink(ctx context.Context, hash []byte, purpose LinkPurpose, now time.Time) (OneTimeLink, error)

	// SetPasswordByLink spends a link of LinkPassword and does what SetPassword
	// does, in one transaction: of any number of tries at once one wins. Gone
	// (ReasonSpent) when there is no such link at act.At, or its user is
	// disabled.
	SetPasswordByLink(ctx context.Context, act Act, hash []byte, passwordHash string) (userID string, err error)

	// SetUp spends the link of LinkSetUp and adds the user, in one transaction.
	// Gone (ReasonSpent) when there is no such link at act.At, or an enabled
	// administrator exists; Conflict as CreateUser, which leaves the link.
	SetUp(ctx context.Context, act Act, hash []byte, user User, passwordHash string) error
}
