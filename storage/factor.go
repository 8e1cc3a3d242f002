package storage

import (
	"context"
	"time"
)

// Authenticator is an app that shows a person a code that changes every half
// minute (RFC 6238).
type Authenticator struct {
	UserID    string
	Secret    []byte // sealed
	LastStep  int64  // of the newest code that was taken: it is not taken again, nor is any before it
	CreatedAt time.Time
}

// Passkey is a key that a person's device keeps for this server and uses only for
// them (Web Authentication).
type Passkey struct {
	ID         string
	UserID     string
	Credential []byte // what the device calls it
	PublicKey  []byte // DER of a SubjectPublicKeyInfo
	Counter    int64  // as the device said last; 0: it has none
	Label      string // as its person calls it
	CreatedAt  time.Time
	LastUsedAt time.Time // zero: never
}

// Factors are what a person can prove with who they are, beside their password.
type Factors struct {
	Authenticator Authenticator // of no UserID: none
	Passkeys      []Passkey     // in the order in which they were added
	Codes         int           // recovery codes that are left
}

// MaxPasskeys is how many passkeys a person can have.
const MaxPasskeys = 20

// Reasons of Conflict faults of FactorStore.
const (
	ReasonHasFactor   = "has_factor"        // there is an authenticator, or the device has a passkey
	ReasonPasskeyFull = "too_many_passkeys" // MaxPasskeys
)

// FactorStore keeps what people prove with who they are, beside their password.
type FactorStore interface {
	// AddAuthenticator gives the user an authenticator. If that is their first
	// factor they get, hashed, the recovery codes, and first is true. All grants of
	// the user are revoked, and all sessions end except keep, whose AuthTime, ACR
	// and AMR become as given. Without one (its ID is empty) it must be their first
	// factor: they are not signed in yet, and the proof is what they have shown so far.
	// NotFound for an absent user; Conflict (ReasonHasFactor) also when it is not, or the
	// session has ended; Gone as StartSession when the proof counts no more.
	AddAuthenticator(ctx context.Context, act Act, authenticator Authenticator, codes [][]byte,
		keep LoginSession, proof Proof) (first bool, err error)

	// AddPasskey does the same with a passkey. Conflict when anybody has the
	// credential (ReasonHasFactor), or ReasonPasskeyFull.
	AddPasskey(ctx context.Context, act Act, passkey Passkey, codes [][]byte, keep LoginSession,
		proof Proof) (first bool, err error)

	// FindFactors returns what the user has; nothing for an absent user.
	FindFactors(ctx context.Context, userID string) (Factors, error)

	// FindPasskey returns the passkey with the credential, or NotFound.
	FindPasskey(ctx context.Context, credential []byte) (Passkey, error)

	// UsePasskey notes that the passkey was used, and the device's counter. Gone
	// (ReasonSpent) when that has not gone forward, though there is one, or the
	// passkey is gone: of several at once that say the same counter one succeeds.
	UsePasskey(ctx context.Context, id string, counter int64, at time.Time) error

	// SpendStep takes the code of a step: of those who use it at once one
	// succeeds. Gone (ReasonSpent) when it or a later one was taken before, or
	// there is no authenticator.
	SpendStep(ctx context.Context, userID string, step int64) error

	// HasRecoveryCode reports whether the user has a code. The session that starts or is
	// renewed by it (Proof.Recovery) uses it up, so that none is gone for nothing.
	HasRecoveryCode(ctx context.Context, userID string, code []byte) (bool, error)

	// ReplaceRecoveryCodes voids the user's recovery codes, adds others, and ends what
	// AddAuthenticator does: whoever had one of the void codes may be signed in.
	// NotFound without a factor.
	ReplaceRecoveryCodes(ctx context.Context, act Act, userID string, codes [][]byte, keepSession string) error

	// RemoveAuthenticator takes the authenticator away and, with the last factor,
	// the recovery codes, and ends what AddAuthenticator does. NotFound when there
	// is none.
	RemoveAuthenticator(ctx context.Context, act Act, userID, keepSession string) error

	// RemovePasskey does the same with a passkey of the user's. Conflict (ReasonLastWayIn)
	// when they could not sign in any more.
	RemovePasskey(ctx context.Context, act Act, userID, id, keepSession string) error

	// RemoveFactors does the same with all that the user has, for somebody who
	// lost it: no session stays.
	RemoveFactors(ctx context.Context, act Act, userID string) error
}
