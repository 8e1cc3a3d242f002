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
	Codes     int // recovery codes that are left; read only
}

// ReasonHasFactor is the reason of the Conflict fault for a second authenticator.
const ReasonHasFactor = "has_factor"

// FactorStore keeps what people prove with who they are, beside their password.
type FactorStore interface {
	// AddAuthenticator gives the user an authenticator and, hashed, the recovery
	// codes; all grants of the user are revoked, and all sessions end except keep,
	// whose AuthTime, ACR and AMR become as given (its ID may be empty). NotFound
	// for an absent user; Conflict (ReasonHasFactor).
	AddAuthenticator(ctx context.Context, act Act, authenticator Authenticator, codes [][]byte, keep LoginSession) error

	// FindAuthenticator returns the user's authenticator, or NotFound.
	FindAuthenticator(ctx context.Context, userID string) (Authenticator, error)

	// SpendStep takes the code of a step: of those who use it at once one
	// succeeds. Gone (ReasonSpent) when it or a later one was taken before, or
	// there is no authenticator.
	SpendStep(ctx context.Context, userID string, step int64) error

	// SpendRecoveryCode takes a code, of those who use it at once from one. Gone
	// (ReasonSpent) when there is no such code.
	SpendRecoveryCode(ctx context.Context, act Act, userID string, code []byte) error

	// ReplaceRecoveryCodes voids the user's recovery codes and adds others.
	// NotFound without an authenticator.
	ReplaceRecoveryCodes(ctx context.Context, act Act, userID string, codes [][]byte) error

	// RemoveAuthenticator takes authenticator and recovery codes away, and ends
	// what AddAuthenticator does. NotFound when there is none.
	RemoveAuthenticator(ctx context.Context, act Act, userID, keepSession string) error

	// ListSealedAuthenticators returns at most limit authenticators of users after
	// the id, by it.
	ListSealedAuthenticators(ctx context.Context, after string, limit int) ([]Authenticator, error)

	// ResealAuthenticator replaces the sealed secret if it still is old. No error
	// when it is not.
	ResealAuthenticator(ctx context.Context, userID string, old, fresh []byte) error
}
