package storage

import (
	"context"
	"time"
)

// Kinds of upstreams.
const (
	UpstreamOIDC   = "oidc"
	UpstreamGitHub = "github"
	UpstreamApple  = "apple"
	UpstreamLDAP   = "ldap"
)

// Upstream is a provider or a directory that vouches for people.
type Upstream struct {
	ID        string // part of its redirect URI: 1 to 32 lower-case letters, digits and hyphens
	Kind      string
	Name      string // as people know it
	Disabled  bool
	Position  int      // on the sign-in page
	Domains   []string // of addresses whose people it is for; lower case
	Exclusive bool     // they sign in there and nowhere else
	Config    string   // JSON: what the kind needs; nothing of it is secret
	Secret    []byte   // sealed; nil: none
	CreatedAt time.Time
	UpdatedAt time.Time
}

// UpstreamIdentity is what an upstream knows a person by. The first three fields
// are its key, and the only way to find the person.
type UpstreamIdentity struct {
	UpstreamID string
	Issuer     string
	Subject    string
	UserID     string
	Email      string    // as the upstream said last; proves nothing
	LinkedAt   time.Time //
	LastAt     time.Time // of the last sign-in with it; zero: never
	EndedAt    time.Time // when the upstream said that the person is gone; zero: it did not
}

// Voucher is what an upstream says to a client about a person.
type Voucher struct {
	UpstreamID string
	JudgedBy   time.Time // UpdatedAt of the upstream as it was then
	UserID     string
	Scopes     []string // that it is about; none: it says nothing of them
	Resources  []string // likewise
	ACR        string
	AMR        []string
	AuthTime   time.Time
	ProofKey   string // thumbprint of the key that the client has to prove; empty: none
}

// LinkedAccount is what an app is told of an identity.
type LinkedAccount struct {
	Subject    string
	UpstreamID string
	Name       string // of the upstream
}

// UpstreamLogout is an upstream's word that somebody has signed out there.
type UpstreamLogout struct {
	UpstreamID string
	ID         string    // of the word
	Until      time.Time // it would not be listened to any more
	Issuer     string
	Subject    string // whose; empty: of those who signed in by SID
	SID        string // what the upstream calls the session; empty: all of Subject's
	EndGrants  bool   // apps lose their access, too, until the person signs in there again
}

// UpstreamRecheck is with what an upstream is asked whether somebody is still there.
type UpstreamRecheck struct {
	UpstreamID string
	Issuer     string
	Subject    string
	UserID     string    // whose identity it is; known where it was listed
	Token      []byte    // sealed
	AskedAt    time.Time // last
	ToldAt     time.Time // when it said so last
}

// RecheckDue is whom of an upstream's people it is asked about.
type RecheckDue struct {
	UpstreamID  string
	AskedBefore time.Time // it was asked then at the latest
	AskedAfter  time.Time // or then at the earliest, by a clock that was ahead
	ToldBefore  time.Time // it said then at the latest that they are there; zero: whenever
	Now         time.Time
}

// Leaving is how somebody signs out of an upstream who has signed out here.
type Leaving struct {
	Name string // of the upstream
	URL  string // there
	Stay string // here: goes on without
}

// BreakGlass is an administrator with what they prove here who they are.
type BreakGlass struct {
	Email    string
	Username string // empty: none
	Password bool
	Passkey  bool
}

// UpstreamAttempt is a visit to an upstream under way.
type UpstreamAttempt struct {
	StateHash  []byte // SHA-256 of the state
	UpstreamID string
	Browser    []byte // hash of the cookie of the browser in which it began
	UserID     string // of who wants to connect the identity to their account; empty: somebody signs in
	SessionID  string // of that person's session; likewise
	Request    string // id of the LoginRequest; empty: none
	Then       string // where to go without one
	ExpiresAt  time.Time
}

// UpstreamEnds is what of that which rests on an upstream ends when it is changed.
type UpstreamEnds struct {
	Disabled  *bool    // it is switched off in the same act, or on again; nil: it stays as it is
	Clients   []string // to which it vouches for nobody any more: their grants
	Everybody bool     // all of it, as when it is disabled
	Rechecks  bool     // with what it is asked is worth nothing any more
}

// UpstreamGroup says that who is in a group there is in one here.
type UpstreamGroup struct {
	UpstreamID string
	External   string // as the upstream calls it
	GroupID    string // of a UserGroup
}

// Reasons of faults of UpstreamStore.
const (
	ReasonUpstreamTaken    = "upstream_taken"    // Conflict: there is one with the id
	ReasonUpstreamDisabled = "upstream_disabled" // Gone
	ReasonIdentityTaken    = "identity_taken"    // Conflict: it is another person's
	ReasonLastWayIn        = "last_way_in"       // Conflict: the person could not sign in any more
	ReasonToldSince        = "told_since"        // Conflict: the upstream has said otherwise since
	ReasonNotByAddress     = "not_by_address"    // Conflict: an address does not make the user's of the identity
)

// UpstreamStore keeps upstreams and the identities of their people. Sessions,
// codes and grants rest on the upstream by which their person signed in.
type UpstreamStore interface {
	// CreateUpstream adds an upstream. Conflict (ReasonUpstreamTaken).
	CreateUpstream(ctx context.Context, act Act, upstream Upstream) error

	// FindUpstream returns the upstream, disabled ones too, or NotFound.
	FindUpstream(ctx context.Context, id string) (Upstream, error)

	// ListUpstreams returns all upstreams by position and id.
	ListUpstreams(ctx context.Context) ([]Upstream, error)

	// ListBreakGlass returns the administrators who are not disabled, by address.
	ListBreakGlass(ctx context.Context) ([]BreakGlass, error)

	// UpdateUpstream replaces everything but Kind, Disabled and CreatedAt, and ends in the
	// same act what does not hold any more. NotFound; Conflict (ReasonChanged) where
	// UpdatedAt has moved on since the upstream was read.
	UpdateUpstream(ctx context.Context, act Act, upstream Upstream, ends UpstreamEnds) error

	// SetUpstreamDisabled disables or enables the upstream; disabling ends the
	// sessions and revokes the codes and grants that rest on it. NotFound.
	SetUpstreamDisabled(ctx context.Context, act Act, id string, disabled bool) error

	// DeleteUpstream removes the upstream with its identities, and ends what rests
	// on it. People stay. NotFound.
	DeleteUpstream(ctx context.Context, act Act, id string) error

	// BeginAttempt keeps an attempt. Gone (ReasonUpstreamDisabled) when the
	// upstream is absent or disabled.
	BeginAttempt(ctx context.Context, attempt UpstreamAttempt) error

	// SpendAttempt takes an attempt out: of those who come at once one gets it.
	// NotFound when it is absent or expired, is another upstream's or began in
	// another browser.
	SpendAttempt(ctx context.Context, upstreamID string, stateHash, browser []byte,
		now time.Time) (UpstreamAttempt, error)

	// FindIdentity returns the identity with the key, or NotFound.
	FindIdentity(ctx context.Context, upstreamID, issuer, subject string) (UpstreamIdentity, error)

	// ListIdentities returns those of the user, by upstream and subject.
	ListIdentities(ctx context.Context, userID string) ([]UpstreamIdentity, error)

	// LinkIdentity gives the identity to its user; repeating it changes nothing.
	// Conflict (ReasonIdentityTaken) when it is another user's; NotFound for an
	// absent or disabled user; Gone (ReasonUpstreamDisabled).
	LinkIdentity(ctx context.Context, act Act, identity UpstreamIdentity) error

	// LinkByAddress is LinkIdentity where nobody but the upstream has said whose identity
	// it is: the user has proven the address of the identity, too, and administrates
	// nothing. Conflict (ReasonNotByAddress).
	LinkByAddress(ctx context.Context, act Act, identity UpstreamIdentity) error

	// ClaimByAddress is LinkByAddress for a user of whom nobody has proven the address, and
	// who is no company's: everything that they sign in with goes, what they are signed in
	// to ends, and the address is proven from then on.
	ClaimByAddress(ctx context.Context, act Act, identity UpstreamIdentity) error

	// JoinByIdentity adds the user, who has no password and administrates nothing,
	// together with their identity. Conflict as CreateUser and LinkIdentity; Gone
	// (ReasonUpstreamDisabled).
	JoinByIdentity(ctx context.Context, act Act, user User, identity UpstreamIdentity) error

	// NoteIdentity keeps Email and LastAt of the identity, and that it has not ended.
	NoteIdentity(ctx context.Context, identity UpstreamIdentity) error

	// UnlinkIdentity takes the identity from its user, and ends what of theirs rests
	// on the upstream; out of the groups into which that has put them they go, unless
	// they have another identity there. NotFound; Conflict (ReasonLastWayIn) when the user has no
	// password, no passkey and no identity at another upstream, unless the act is forced.
	UnlinkIdentity(ctx context.Context, act Act, identity UpstreamIdentity) error

	// EndIdentity notes that the upstream says that the person is gone, and ends
	// what of theirs rests on it as UnlinkIdentity does; nobody rechecks it any more.
	// NotFound.
	EndIdentity(ctx context.Context, act Act, identity UpstreamIdentity) error

	// EndRechecked is EndIdentity of whom the upstream, asked with the recheck, says that
	// they are gone. Conflict (ReasonToldSince) when they have come by it since: the answer
	// is about what is over.
	EndRechecked(ctx context.Context, act Act, recheck UpstreamRecheck) error

	// EndUpstreamSessions ends the sessions of the user that rest on the upstream, and
	// nothing else. It is no error when there are none.
	EndUpstreamSessions(ctx context.Context, act Act, upstreamID, userID string) error

	// HearLogout ends the sessions that the word is about, and with EndGrants all that
	// rests on the upstream of whose they are, as EndIdentity does. It is no error when
	// there are none. Gone (ReasonSpent) when the word was heard before: it counts once,
	// and as long as it did not end what it is about, it did not count.
	HearLogout(ctx context.Context, act Act, word UpstreamLogout) error

	// KeepRecheck keeps it in place of what there was for the identity; without a Token
	// that stays, and without one before nothing is kept. No error when the identity is
	// absent or has ended.
	KeepRecheck(ctx context.Context, recheck UpstreamRecheck) error

	// ListRechecks returns those of the user's identities there that have not ended.
	ListRechecks(ctx context.Context, upstreamID, userID string) ([]UpstreamRecheck, error)

	// ListDueRechecks returns at most limit of those who are signed in by the upstream,
	// the longest ago asked first.
	ListDueRechecks(ctx context.Context, due RecheckDue, limit int) ([]UpstreamRecheck, error)

	// ClaimRecheck notes that the upstream is asked now, if it was not since AskedAt: of
	// those who want to at once one may.
	ClaimRecheck(ctx context.Context, recheck UpstreamRecheck, now time.Time) (bool, error)

	// FindUpstreamHint returns what Proof.UpstreamHint was for the session; nil: nothing,
	// or there is no such session.
	FindUpstreamHint(ctx context.Context, sessionID string) ([]byte, error)

	// SetUpstreamGroups says which groups of the upstream are which here, in place of
	// what was said before. NotFound for an absent upstream or group; Conflict
	// (ReasonManaged) for a group that is a company's.
	SetUpstreamGroups(ctx context.Context, act Act, upstreamID string, groups []UpstreamGroup) error

	// ListUpstreamGroups returns what was said, by external name and group.
	ListUpstreamGroups(ctx context.Context, upstreamID string) ([]UpstreamGroup, error)

	// MeetGroups puts the user into the groups here that go with those there. With
	// own it takes them out of the others in which the upstream alone has put them. Gone
	// (ReasonUpstreamDisabled).
	MeetGroups(ctx context.Context, act Act, upstreamID, userID string, external []string, own bool) error
}
