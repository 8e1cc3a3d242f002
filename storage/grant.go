package storage

import (
	"context"
	"time"
)

// AuthorizeCode is an authorization code with everything its redemption needs:
// one row, so that one statement can decide.
type AuthorizeCode struct {
	Hash        []byte // SHA-256 of the code
	GrantID     string // of the grant that redemption makes
	ClientID    string
	UserID      string
	SessionID   string // LoginSession id; the sid of ID tokens
	RedirectURI string // exactly as it was in the request; empty: a device's, which asks for it again and again
	Scopes      []string
	Narrowed    bool     // the client asked for more than Scopes, and is to be told
	Resources   []string // Resource identifiers that were asked about; none: our own APIs
	Nonce       string
	Challenge   string // S256 code_challenge; empty: none was sent
	ProofKey    string // thumbprint of the key that it has to be redeemed with; empty: any or none
	Claims      string // the claims parameter, JSON; may be empty
	AuthTime    time.Time
	ACR         string
	AMR         []string
	IssuedAt    time.Time
	ExpiresAt   time.Time

	UpstreamID string // as the session has it
	Device     string // from where the device asked (RFC 8628); empty: the person was where the app is

	SpentAt          time.Time // zero: not yet
	VerifierFailures int       // wrong code_verifiers so far
}

// MaxVerifierFailures is how many wrong PKCE verifiers spend a code.
const MaxVerifierFailures = 5

// Grant is what a user gave a client at one authorisation: the token family.
//
// Refresh tokens are not rows. Each is derived from the grant's id and a
// generation number with a key that only the server holds; the grant knows
// which generation is current, so one statement decides whether a token is
// the live one, an honest retry, or stolen.
type Grant struct {
	ID        string
	ClientID  string
	UserID    string
	SessionID string
	Scopes    []string
	Resources []string // of the code
	Nonce     string
	Claims    string
	AuthTime  time.Time
	ACR       string
	AMR       []string
	CreatedAt time.Time

	ProofKey    string // thumbprint of the key that a token of it was bound to first; empty: none was
	Certificate string // the same of a certificate
	UpstreamID  string // as the code has it
	Device      string // of the code

	Generation int       // of the live refresh token, from 1; 0: none was issued
	RotatedAt  time.Time // when that generation was made
	ExpiresAt  time.Time // of that refresh token; never later than EndsAt
	EndsAt     time.Time // of all refresh tokens there will be; zero: never
	RevokedAt  time.Time // zero: live
}

// RefreshUse is one presentation of a refresh token.
type RefreshUse struct {
	GrantID     string
	Generation  int           // of the presented token
	Grace       time.Duration // how long the token before the live one may be retried; 0: not at all
	Lifetime    time.Duration // of the successor
	Keeps       bool          // the token is its own successor: nothing rotates
	ProofKey    string        // that the grant is bound to, or is from now on; one that is bound otherwise has no retry
	Certificate string        // the same of a certificate
}

// Successor returns the generation of the token that the use leads to.
func (u RefreshUse) Successor() int {
	if u.Keeps {
		return u.Generation
	}
	return u.Generation + 1
}

// Reasons of Gone faults of GrantStore.
const (
	ReasonSpent   = "spent"   // used before; what it led to is now revoked
	ReasonExpired = "expired" // past its time
	ReasonRevoked = "revoked" // its grant was revoked

	ReasonRequestOver      = "login_request_over" // it was answered already, or took too long
	ReasonSessionOver      = "session_over"       // the person was signed out
	ReasonConsentWithdrawn = "consent_withdrawn"  // the person took it back
)

// TokenQuery names everything whose end would end an access token. Empty
// fields are not asked about.
type TokenQuery struct {
	IssuedAt time.Time // in whole seconds, as tokens tell it
	JTI      string
	ClientID string
	GrantID  string
	UserID   string // a user or a service account
	KeyID    string // the service account's key (kid) that proved it
}

// TokenState is what has become of what stands behind a token.
type TokenState struct {
	Active bool     // nothing that the query names has ended
	Scopes []string // what the client that the query names may ask for by now

	Profile      string   // of that client
	Origin       string   // likewise
	ExchangeFor  []string // what it may have tokens for in exchange, by now
	Impersonates bool     // and whether those need not say that it acts for the person, who is no administrator

	ACR      string    // how strongly the person was proven whom the grant is of; empty without one
	AuthTime time.Time // and when
}

// GrantStore keeps codes, grants and revoked access tokens.
type GrantStore interface {
	// IssueCode keeps a fresh code, if what it rests on still stands: the
	// user's session code.SessionID, and a remembered consent that holds the
	// scopes consented (none: it rests on no consent). Whoever signs the user
	// out everywhere or withdraws the consent either finds the code and
	// withdraws it, or comes first. The login request (empty: none) is used up:
	// of any number of tries at once one wins. Gone: ReasonRequestOver,
	// ReasonSessionOver, ReasonConsentWithdrawn. Conflict when the hash exists;
	// NotFound for an absent client.
	IssueCode(ctx context.Context, code AuthorizeCode, consented []string, loginRequest string) error

	// FindCode returns the code whatever its state, or NotFound.
	FindCode(ctx context.Context, hash []byte) (AuthorizeCode, error)

	// RedeemCode spends the code and adds the grant, exactly once whatever
	// runs beside it. Gone: ReasonExpired at act.At; ReasonSpent when it was
	// spent before, and then the grant of the first use is revoked in the same
	// transaction (and audited) unless the code is a device's; ReasonRevoked when user or client is disabled
	// or gone, or the client is not for the user. NotFound for an unknown hash.
	RedeemCode(ctx context.Context, act Act, hash []byte, grant Grant) error

	// OpenGrant adds a grant that rests on an upstream's word on the person, which goes
	// into the audit log. Gone (ReasonRevoked) when user, client or upstream is disabled
	// or gone, the client is not for the user or the upstream not theirs any more, the
	// user has a second factor of which the word says nothing, or the upstream was changed
	// since (its UpdatedAt) the word was judged.
	OpenGrant(ctx context.Context, act Act, grant Grant, judgedBy time.Time) error

	// FailVerifier counts a wrong PKCE verifier; the MaxVerifierFailures-th
	// spends the code. No error for an unknown or spent code.
	FailVerifier(ctx context.Context, act Act, hash []byte) error

	// FindGrant returns the grant, revoked ones too, or NotFound.
	FindGrant(ctx context.Context, id string) (Grant, error)

	// ListGrants returns the user's live grants, newest first.
	ListGrants(ctx context.Context, userID string, now time.Time) ([]Grant, error)

	// RotateRefresh judges a presented refresh token at act.At and moves the
	// grant on, exactly once whatever runs beside it. It returns the generation
	// that is live afterwards, whose refresh token the caller derives.
	//   - the live generation, not expired: use.Successor(), RotatedAt = act.At,
	//     ExpiresAt = act.At + Lifetime, or EndsAt where that is sooner;
	//   - the one before, within Grace of RotatedAt: nothing changes, the
	//     caller hands out the same successor again;
	//   - one that is newer than the grant knows of, which a restored database may
	//     meet: as the live one, and audited; so the caller must have made sure
	//     that the token is one of ours;
	//   - any other: Gone, ReasonSpent; the grant is revoked in the same
	//     transaction, and audited;
	//   - expired: Gone, ReasonExpired; revoked, or user or client disabled or
	//     gone, or the client not for the user: Gone, ReasonRevoked; unknown grant: NotFound.
	RotateRefresh(ctx context.Context, act Act, use RefreshUse) (generation int, err error)

	// RevokeGrant revokes the grant. Repeating it, or an absent grant, is no
	// error.
	RevokeGrant(ctx context.Context, act Act, id string) error

	// RevokeToken marks one access token as revoked until it would have
	// expired anyway. Repeating it is no error.
	RevokeToken(ctx context.Context, act Act, jti string, until time.Time) error

	// TokenState returns Active when nothing the query names has ended: the jti
	// is not revoked, the client and the user are there and enabled, the client is
	// for the user (ClientAccessStore), the grant
	// is there and not revoked. A service account counts as a user as long as
	// its state is ServiceAccountEnabled and the client that owns it is
	// enabled; its key must be there, its own and enabled. (Its expiry needs no
	// look: every use pushes it far beyond the end of the token.) Client,
	// service account and key end every token that was issued before the second
	// in which they were last enabled again. One round trip, index look-ups only.
	TokenState(ctx context.Context, query TokenQuery) (TokenState, error)
}
