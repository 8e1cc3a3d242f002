package storage

import (
	"context"
	"crypto/sha256"
	"time"
)

// How strongly somebody was proven (authentication context classes).
const (
	ACRPassword   = "urn:portico:acr:1"
	ACRTwoFactors = "urn:portico:acr:2"
)

// AMRTwoFactors returns with what somebody was proven who typed a password and a
// code that is good once.
func AMRTwoFactors() []string { return []string{"pwd", "otp", "mfa"} }

// AMRPasskey is the same for a passkey, which is two factors by itself: the key,
// and what its device knows its person by.
func AMRPasskey() []string { return []string{"pop", "user", "mfa"} }

// AMRPasswordAndPasskey is the same for both.
func AMRPasswordAndPasskey() []string { return []string{"pwd", "pop", "user", "mfa"} }

// SeenAhead is how much a time lies ahead at most that another server's clock noted
// which is right.
const SeenAhead = 5 * time.Minute

// LoginSession is a browser's sign-in.
type LoginSession struct {
	ID         string // public handle: the sid of ID tokens, and what pages name
	TokenHash  []byte // SHA-256 of the cookie's value
	UserID     string
	AuthTime   time.Time // when the person last proved who they are
	ACR        string    // how strongly: authentication context class
	AMR        []string  // with what: RFC 8176 names
	CreatedAt  time.Time
	LastSeenAt time.Time // may lag by a minute
	ExpiresAt  time.Time // absolute limit
	Address    string
	UserAgent  string
	MetRequest string // id of the LoginRequest that the person last signed in for; empty: none

	UpstreamID  string // of the Upstream that the sign-in rests on; empty: none
	UpstreamSID string // what that calls its own session; may be empty

	// CameAt is when they last came back from an upstream that was to prove them anew and
	// tells no time: that is good for grave acts here, and for nothing that AuthTime is; zero:
	// they did not.
	CameAt time.Time
}

// Proof is what a sign-in rests on, as it was when somebody looked: it is looked
// at again as the session starts.
type Proof struct {
	Password  []byte // PasswordDigest of what the password was held against; nil: none was typed
	Passkey   string // id of the one that was used; empty: none
	TwoFactor bool   // as the user's is
	Recovery  []byte // digest of the recovery code that the sign-in uses up; nil: none was typed

	Upstream    UpstreamIdentity // that was proven there; of no UpstreamID: none was
	UpstreamSID string           // what the upstream calls its own session; may be empty

	// What the upstream is told when the person signs out there, too, sealed; nil: it is
	// not kept.
	UpstreamHint []byte
}

// PasswordDigest stands for a password's hash where the hash itself need not be.
func PasswordDigest(hash string) []byte {
	sum := sha256.Sum256([]byte(hash))
	return sum[:]
}

// ReasonSignInOver is the reason of the Gone fault of a sign-in whose proof is over.
const ReasonSignInOver = "sign_in_over"

// LoginRequest is an authorize request that waits for a person: parked while
// they sign in and consent.
type LoginRequest struct {
	ID        string // unguessable, 43 characters
	ClientID  string
	Params    string // the request's parameters, URL-encoded
	CreatedAt time.Time
	ExpiresAt time.Time

	// Set once somebody answered the consent question: which session it was,
	// when, and whether they said yes. A decision counts for that session only.
	DecidedBy string // LoginSession id; empty: nobody yet
	DecidedAt time.Time
	Allowed   bool
}

// AnsweredLife is how long an answered request can be looked at.
const AnsweredLife = 5 * time.Minute

// Consent is what a person has allowed a client, once and for all.
type Consent struct {
	UserID    string
	ClientID  string
	Scopes    []string // sorted, no duplicates
	LeftOut   []string // what they left out, likewise; none of Scopes
	CreatedAt time.Time
	UpdatedAt time.Time // never before the client's: it is the client of then
}

// LoginStore keeps sign-ins, parked requests and consents. Whatever ends a
// session, here or in UserStore, makes a LogoutDelivery in the same transaction
// for each enabled client that joined it and has a BackchannelLogoutURI. A
// session that expires ends without a word.
type LoginStore interface {
	// StartSession adds a session and sets the user's LastSignInAt. NotFound
	// when the user is absent or disabled; Gone (ReasonSignInOver) when what the
	// proof rests on is not so any more, or (ReasonSpent) its recovery code was used.
	StartSession(ctx context.Context, act Act, session LoginSession, proof Proof) error

	// RenewSession lets the session's own user prove anew who they are: the
	// session keeps ID, UserID and CreatedAt, and all else becomes as given.
	// The former TokenHash finds nothing any more, clients are told nothing.
	// Sets the user's LastSignInAt. NotFound when the session ended, expired at
	// act.At or is another user's, or the user is absent or disabled; Gone as
	// StartSession.
	RenewSession(ctx context.Context, act Act, session LoginSession, proof Proof) error

	// FindSession returns the live session with the token hash and its user.
	// NotFound when it ended, expired, was idle since before idleSince, or the
	// user is disabled or gone.
	FindSession(ctx context.Context, tokenHash []byte, now, idleSince time.Time) (LoginSession, User, error)

	// TouchSession moves LastSeenAt forward, and back where it is more than SeenAhead ahead:
	// a clock was wrong. An absent session is no error.
	TouchSession(ctx context.Context, id string, at time.Time) error

	// ListSessions returns the user's live sessions, newest AuthTime first.
	ListSessions(ctx context.Context, userID string, now, idleSince time.Time) ([]LoginSession, error)

	// EndSession ends one session. An absent session is no error.
	EndSession(ctx context.Context, act Act, id string) error

	// EndSessions ends all sessions of the user except one (may be empty) and
	// revokes the user's grants: sign-out everywhere.
	EndSessions(ctx context.Context, act Act, userID, except string) error

	// ParkLoginRequest keeps a request.
	ParkLoginRequest(ctx context.Context, request LoginRequest) error

	// FindLoginRequest returns a request that has not expired, or NotFound.
	FindLoginRequest(ctx context.Context, id string, now time.Time) (LoginRequest, error)

	// DecideLoginRequest notes the answer to the consent question: of the
	// fields of request only ID, DecidedBy, DecidedAt and Allowed count. With
	// Allowed the scopes are remembered as consent of userID for the request's
	// client in the same transaction (added to what is there), and so is what
	// the person left out, which then is not among them any more. NotFound when
	// the request is absent or expired at act.At.
	DecideLoginRequest(ctx context.Context, act Act, request LoginRequest, userID string, scopes []string,
		leftOut ...string) error

	// AnswerLoginRequest uses a request up, or is NotFound: of those who do at the
	// same moment one succeeds. FindLoginRequest does not find it any more.
	AnswerLoginRequest(ctx context.Context, id string, at time.Time) error

	// FindAnsweredRequest returns what a request was that was used up less than
	// AnsweredLife ago, by this or by IssueCode, or NotFound.
	FindAnsweredRequest(ctx context.Context, id string, now time.Time) (LoginRequest, error)

	// FindConsent returns the remembered consent, or NotFound.
	FindConsent(ctx context.Context, userID, clientID string) (Consent, error)

	// ListConsents returns the user's consents ordered by client id.
	ListConsents(ctx context.Context, userID string) ([]Consent, error)

	// WithdrawConsent forgets the consent and revokes the user's grants to
	// the client. An absent consent is no error.
	WithdrawConsent(ctx context.Context, act Act, userID, clientID string) error
}
