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

	// Both confirm a change of address, and it is made when both were used, or
	// the only one there is.
	LinkAddressNew LinkPurpose = "address_new" // mailed to the new address
	LinkAddressOld LinkPurpose = "address_old" // mailed to the one until then
)

// OneTimeLink is a link that works once. The token in it is kept as its hash.
type OneTimeLink struct {
	Hash      []byte // SHA-256 of the token
	Purpose   LinkPurpose
	UserID    string // empty for LinkSetUp
	ExpiresAt time.Time

	// Email of a LinkPassword is the address that it was mailed to, and nobody
	// else knows it: whoever uses it reads the mails of this address. Empty: it
	// was handed over in another way. Of the others it is the new address.
	Email string
}

// OneTimeLinkStore keeps one-time links.
type OneTimeLinkStore interface {
	// CreateOneTimeLink adds the link, and others of the same user; earlier ones
	// of the same purpose and user, and both of a change of address, are void from then
	// on. NotFound for an absent user.
	CreateOneTimeLink(ctx context.Context, act Act, link OneTimeLink, others ...OneTimeLink) error

	// FindOneTimeLink returns a link of the purpose that is not over at now,
	// or NotFound.
	FindOneTimeLink(ctx context.Context, hash []byte, purpose LinkPurpose, now time.Time) (OneTimeLink, error)

	// SetPasswordByLink spends a link of LinkPassword and does what SetPassword
	// does, in one transaction: of any number of tries at once one wins. When it
	// was mailed to the user's address, that is verified then. Gone
	// (ReasonSpent) when there is no such link at act.At, or its user is
	// disabled.
	SetPasswordByLink(ctx context.Context, act Act, hash []byte, passwordHash string) (userID string, err error)

	// ConfirmAddress spends a link of LinkAddressNew or LinkAddressOld. With the
	// last one that there is of the user, the address becomes theirs, verified, and
	// what was mailed to the former one sets no password any more; done is true
	// then, and the act's mails are kept. Gone (ReasonSpent) when there is no such
	// link at act.At, or its user is disabled; Conflict (ReasonEmailTaken), which
	// leaves the link.
	ConfirmAddress(ctx context.Context, act Act, hash []byte) (done bool, err error)

	// SetUp spends the link of LinkSetUp and adds the user, in one transaction.
	// Gone (ReasonSpent) when there is no such link at act.At, or an enabled
	// administrator exists; Conflict as CreateUser, which leaves the link.
	SetUp(ctx context.Context, act Act, hash []byte, user User, passwordHash string) error
}
