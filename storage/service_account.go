package storage

import (
	"context"
	"time"
)

// ServiceAccountStatus is the state of a service account (S1 section 3).
type ServiceAccountStatus string

// The states of a service account.
const (
	ServiceAccountEnabled     ServiceAccountStatus = "ENABLED"
	ServiceAccountDisabled    ServiceAccountStatus = "DISABLED"    // by its owner
	ServiceAccountDeactivated ServiceAccountStatus = "DEACTIVATED" // by not being used (decision SA2)
)

// KeyStatus is the state of a service account's key (S1 section 3).
type KeyStatus string

// The states of a key.
const (
	KeyEnabled  KeyStatus = "ENABLED"
	KeyDisabled KeyStatus = "DISABLED"
)

// Limits of S1 section 8.
const (
	MaxServiceAccounts    = 10 // of one client, whatever their state
	MaxServiceAccountKeys = 3  // of one service account, whatever their state
)

// ServiceAccount is a machine identity that belongs to a client.
type ServiceAccount struct {
	ID         string // 16 upper-case letters and digits; no user has the same
	ClientID   string // the owner: only its assertions speak for the account
	CreatedBy  string // client id; another one than ClientID when it was made on behalf
	Name       string // ASCII letters, digits and dashes
	Email      string // <name>@<client id>.<domain>
	Status     ServiceAccountStatus
	CreatedAt  time.Time
	AccessedAt time.Time // when it last got a token; zero: never; may lag by a second
	ExpiresAt  time.Time // when it is deactivated unless it is used before
}

// StatusAt returns the state at a time: an enabled account past its expiry is
// deactivated, whether or not the clean-up has noted it yet.
func (a ServiceAccount) StatusAt(now time.Time) ServiceAccountStatus {
	if a.Status == ServiceAccountEnabled && !now.Before(a.ExpiresAt) {
		return ServiceAccountDeactivated
	}
	return a.Status
}

// ServiceAccountKey is the public half of a key pair that signs assertions.
type ServiceAccountKey struct {
	KID        string // UUID
	AccountID  string
	Public     []byte // PKIX, DER
	Status     KeyStatus
	CreatedAt  time.Time
	AccessedAt time.Time // when a token was last issued with it; zero: never; may lag by a second
	Label      string    // what it is for; may be empty
	EndsAt     time.Time // when it stops working; zero: never
}

// LiveAt reports whether the key has not ended at a time.
func (k ServiceAccountKey) LiveAt(now time.Time) bool {
	return k.EndsAt.IsZero() || now.Before(k.EndsAt)
}

// ServiceAccountUse says that an account got a token with a key.
type ServiceAccountUse struct {
	AccountID string
	KID       string
	At        time.Time
	ExpiresAt time.Time // the account's new expiry
}

// Assertion is a signed statement of a service account that was found good
// (RFC 7523 section 2.1).
type Assertion struct {
	ClientID  string    // who presented it
	AccountID string    // who it speaks for
	KID       string    // the account's key that signed it
	KeyEndsAt time.Time // zero: never
	JTI       string    // its name, at most 255 characters; empty: it has none
	ExpiresAt time.Time
	Scopes    []string // as claimed
}

// Reasons of the faults of ServiceAccountStore.
const (
	ReasonNameTaken       = "name_taken"
	ReasonLimitExceeded   = "limit_exceeded"
	ReasonAccountDisabled = "account_not_enabled"
	ReasonStatusMoved     = "status_moved" // somebody else changed it meanwhile: look again
)

// ServiceAccountFilter narrows a list of accounts. Accounts that fit either
// field are in it; an empty field fits none.
type ServiceAccountFilter struct {
	ClientID  string
	CreatedBy string
}

// ServiceAccountStore keeps service accounts, the public halves of their keys
// and the names of assertions that were used.
type ServiceAccountStore interface {
	// CreateServiceAccount adds the account. NotFound when its client is
	// absent; TooMany (ReasonLimitExceeded) when the client has
	// MaxServiceAccounts; Conflict (ReasonNameTaken) when one of them has the
	// name, ignoring case, or with no reason when the id is taken by an account
	// or a user. Exact whatever runs beside it.
	CreateServiceAccount(ctx context.Context, act Act, account ServiceAccount) error

	// FindServiceAccount returns the account in any state, or NotFound.
	FindServiceAccount(ctx context.Context, id string) (ServiceAccount, error)

	// ListServiceAccounts returns the accounts that fit, oldest first.
	ListServiceAccounts(ctx context.Context, filter ServiceAccountFilter) ([]ServiceAccount, error)

	// SetServiceAccountStatus moves the account, as the caller has seen it, to
	// another state and expiry. Conflict (ReasonStatusMoved) when its state or
	// expiry is not what was seen; NotFound.
	SetServiceAccountStatus(ctx context.Context, act Act, seen ServiceAccount, status ServiceAccountStatus,
		expiresAt time.Time) error

	// DeleteServiceAccount removes the account with its keys. NotFound.
	DeleteServiceAccount(ctx context.Context, act Act, id string) error

	// AddServiceAccountKey adds a key. NotFound for an absent account; Conflict
	// (ReasonAccountDisabled) unless the account is enabled at act.At; TooMany
	// (ReasonLimitExceeded) when it has MaxServiceAccountKeys; Conflict when
	// the kid is taken. Exact whatever runs beside it.
	AddServiceAccountKey(ctx context.Context, act Act, key ServiceAccountKey) error

	// FindServiceAccountKey returns the key and its account, both in any state,
	// or NotFound.
	FindServiceAccountKey(ctx context.Context, kid string) (ServiceAccountKey, ServiceAccount, error)

	// ListServiceAccountKeys returns the keys of the accounts, oldest first; none of
	// an absent account. At most MaxPage ids.
	ListServiceAccountKeys(ctx context.Context, accountIDs ...string) ([]ServiceAccountKey, error)

	// SetServiceAccountKeyStatus moves the key, as the caller has seen it, to
	// another state. Conflict (ReasonAccountDisabled) unless the account is
	// enabled at act.At; NotFound; Conflict (ReasonStatusMoved) when its state
	// is not what was seen.
	SetServiceAccountKeyStatus(ctx context.Context, act Act, seen ServiceAccountKey, status KeyStatus) error

	// DeleteServiceAccountKey removes the key. Conflict
	// (ReasonAccountDisabled) unless the account is enabled at act.At;
	// NotFound.
	DeleteServiceAccountKey(ctx context.Context, act Act, accountID, kid string) error

	// MarkServiceAccountsUsed notes uses of accounts and keys: AccessedAt of
	// both and ExpiresAt of the account. It moves no time back, and what is
	// absent is passed over.
	MarkServiceAccountsUsed(ctx context.Context, uses []ServiceAccountUse) error

	// SpendAssertionID notes that the client has used the jti, until which time
	// that must be known. Gone (ReasonSpent) when it was used before: of any
	// number of tries at once one wins. It outlives the process at once; a
	// power cut may take back what was noted since the last other change.
	SpendAssertionID(ctx context.Context, clientID, jti string, until time.Time) error

	// SpendProofID is SpendAssertionID, and no power cut takes it back.
	SpendProofID(ctx context.Context, clientID, jti string, until time.Time) error

	// SweepAssertionIDs forgets at most limit jtis whose time has come KeepSpent ago and
	// returns how many; fewer than limit means done for now.
	SweepAssertionIDs(ctx context.Context, now time.Time, limit int) (int, error)

	// DeactivateServiceAccounts moves at most limit enabled accounts that
	// expired before the given time to ServiceAccountDeactivated and returns
	// how many; fewer than limit means done for now.
	DeactivateServiceAccounts(ctx context.Context, act Act, before time.Time, limit int) (int, error)
}
