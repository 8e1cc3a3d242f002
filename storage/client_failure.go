package storage

import (
	"context"
	"time"
)

// FailureKind says why a client's request was refused.
type FailureKind string

// The kinds of failures. FailureOther has OAuth's error code in Got.
const (
	FailureRedirect FailureKind = "redirect_mismatch" // the redirect_uri is not registered
	FailureSecret   FailureKind = "wrong_secret"      // missing, wrong or unexpected
	FailureScope    FailureKind = "scope"             // not registered for it, or there is none
	FailureOther    FailureKind = "other"
)

// ClientFailure is a request in a client's name that was refused. Neither text
// ever holds a secret; both were sent by anybody, or say what was expected.
type ClientFailure struct {
	ClientID  string
	At        time.Time
	Kind      FailureKind
	Got       string
	Expected  string
	Times     int // how often the same came close together; at least 1
	RequestID string
	Address   string
}

// Limits of what is kept of failures.
const (
	KeepClientFailures = 7 * 24 * time.Hour
	MaxClientFailures  = 100 // of one client
)

// ClientFailureStore keeps the recent failures of clients.
type ClientFailureStore interface {
	// RecordClientFailures adds failures, and drops the oldest of a client
	// beyond MaxClientFailures. Those of absent clients are passed over.
	RecordClientFailures(ctx context.Context, failures []ClientFailure) error

	// ListClientFailures returns the client's failures since a time, newest
	// first.
	ListClientFailures(ctx context.Context, clientID string, since time.Time) ([]ClientFailure, error)
}
