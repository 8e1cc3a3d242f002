package provider

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/storage"
)

// Elsewhere knows where people may sign in beside here: at upstreams.
type Elsewhere interface {
	// Offered returns the upstreams that stand on the sign-in page, in their order.
	Offered(ctx context.Context) ([]storage.Upstream, error)

	// Leads returns the id of the upstream at which alone people sign in who have
	// such an address; empty: they sign in here.
	Leads(ctx context.Context, address string) (string, error)

	// Vouched returns what an upstream says, by an assertion for the client, about one
	// of its people who is a user here. Invalid, invalid_grant, for whatever else.
	Vouched(ctx context.Context, clientID, assertion string) (storage.Voucher, error)

	// Stays is Invalid, invalid_grant, where the upstream that the user came by says that
	// they are there no more, or has not said for too long that they are.
	Stays(ctx context.Context, upstreamID, userID string) error

	// Hint returns what the upstream is told of whose sign-in there is to end with the
	// session; empty: it is not known.
	Hint(ctx context.Context, session storage.LoginSession) (string, error)

	// Leave returns where whoever signs out of the session signs out of its upstream,
	// too, and comes back from to go on to the address; of no URL: that is not offered.
	// The hint is what Hint returned while there was the session.
	Leave(ctx context.Context, session storage.LoginSession, hint, to string) (storage.Leaving, error)

	// Accounts returns by which identities the user signs in there.
	Accounts(ctx context.Context, userID string) ([]storage.LinkedAccount, error)
}

// nowhere offers nothing.
type nowhere struct{}

func (nowhere) Offered(context.Context) ([]storage.Upstream, error) { return nil, nil }

func (nowhere) Accounts(context.Context, string) ([]storage.LinkedAccount, error) { return nil, nil }

func (nowhere) Stays(context.Context, string, string) error { return nil }

func (nowhere) Hint(context.Context, storage.LoginSession) (string, error) { return "", nil }

func (nowhere) Leave(context.Context, storage.LoginSession, string, string) (storage.Leaving, error) {
	return storage.Leaving{}, nil
}

func (nowhere) Leads(context.Context, string) (string, error) { return "", nil }

func (nowhere) Vouched(context.Context, string, string) (storage.Voucher, error) {
	return storage.Voucher{}, fault.New(fault.Invalid, "invalid_grant", "Nobody vouches for people here.")
}

// Directories judge the passwords that they know.
type Directories interface {
	// Judge judges what somebody typed whose password a directory knows, and does first
	// before it asks one; asked is false where the password that is kept here counts.
	// Unauthenticated for whatever is wrong; Forbidden for who needs a new password there
	// first or has no account here; Unavailable (reasons that begin with DirectoryReasons).
	Judge(ctx context.Context, typed storage.Typed, first func() error) (s websession.SignIn, asked bool, err error)

	// Miss does what Judge does for a name that nobody has, takes the time that it takes
	// and returns what it returns: Unauthenticated or Unavailable.
	Miss(ctx context.Context, typed storage.Typed) error

	// Claims returns the directories by which alone the user signs in: those of their
	// domain, and one that is off to which they are connected.
	Claims(ctx context.Context, user storage.User) (ids []string, err error)
}

// DirectoryReasons is what the reasons of faults begin with that are a directory's.
const DirectoryReasons = "directory_"

// noDirectory knows nobody.
type noDirectory struct{}

func (noDirectory) Judge(context.Context, storage.Typed, func() error) (s websession.SignIn, asked bool, err error) {
	return s, false, nil
}

func (noDirectory) Miss(context.Context, storage.Typed) error {
	return fault.New(fault.Unauthenticated, "wrong_login", "")
}

func (noDirectory) Claims(context.Context, storage.User) ([]string, error) { return nil, nil }
