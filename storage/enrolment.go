package storage

import (
	"context"
	"time"
)

// How a client came that nobody here has registered.
const (
	OriginOpen  = "open"  // it registered itself, and needed nothing for it
	OriginToken = "token" // it registered itself by an InitialToken

	// Every other is the address of the document that says what the client is.
)

// Enrolment is how a client registered itself.
type Enrolment struct {
	ClientID   string
	TokenHash  []byte // SHA-256 of what it looks after itself by
	TokenID    string // the InitialToken that it had; empty: none
	TokenLabel string // what that was for; read alone
	ClientName string // likewise, as the next two
	Used       bool   // somebody has let it in
	Disabled   bool
	Address    string // where it came from
	Network    string // what counts together with that
	CreatedAt  time.Time
}

// InitialToken lets clients register themselves (RFC 7591, 3).
type InitialToken struct {
	ID        string
	Label     string // what it is for
	Hash      []byte // SHA-256 of the token
	UsesLeft  int    // how many clients may come with it still
	CreatedAt time.Time
	EndsAt    time.Time
}

// Bounds of clients that registered themselves without a token and that nobody has let
// in: of all, of those of one network, how long they are kept, and how long where there
// are as many as may be, for whoever has many networks could keep everybody else out.
const (
	MaxIdleEnrolments    = 2000
	MaxNetworkEnrolments = 50
	KeepIdleEnrolments   = 24 * time.Hour
	KeepFullEnrolments   = time.Hour
)

// MaxInitialTokens is how many there may be.
const MaxInitialTokens = 100

// Reasons of the faults of EnrolmentStore.
const (
	ReasonEnrolmentsFull = "registrations_full"
	ReasonInitialToken   = "invalid_token"
)

// EnrolmentStore keeps how clients registered themselves.
type EnrolmentStore interface {
	// EnrolClient adds the client, and notes how it came. With the hash of an initial
	// token it takes a use of that: Unauthenticated (ReasonInitialToken) when none is
	// left, or its time is over. Without, TooMany (ReasonEnrolmentsFull) where there are
	// as many as may be that nobody has let in; exact whatever runs beside it. Of all
	// that may be, the first that is older than KeepFullEnrolments makes room.
	EnrolClient(ctx context.Context, act Act, client Client, enrolment Enrolment, initialHash []byte) error

	// FindEnrolment returns how the client came, or NotFound.
	FindEnrolment(ctx context.Context, clientID string) (Enrolment, error)

	// ListEnrolments returns the last that came, newest first.
	ListEnrolments(ctx context.Context, limit int) ([]Enrolment, error)

	// SweepEnrolments removes clients of any other origin than OriginToken that came
	// before the time and that nobody has let in, looked after or disabled, and returns
	// how many.
	SweepEnrolments(ctx context.Context, act Act, before time.Time, limit int) (int, error)

	// AddInitialToken adds a token, and forgets those that have ended. Conflict
	// (ReasonTokensFull) when there are MaxInitialTokens.
	AddInitialToken(ctx context.Context, act Act, token InitialToken) error

	// ListInitialTokens returns the tokens, oldest first, those that have ended too.
	ListInitialTokens(ctx context.Context) ([]InitialToken, error)

	// DeleteInitialToken ends the token; who came with it stays. NotFound.
	DeleteInitialToken(ctx context.Context, act Act, id string) error
}
