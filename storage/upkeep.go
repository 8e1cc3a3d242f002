package storage

import (
	"context"
	"time"
)

// AuditEvent is one line of the audit trail.
type AuditEvent struct {
	ID      int64 // grows with time
	Act     Act
	Kind    string // such as "user.disabled", "grant.reuse_detected"
	Subject string // id of what was changed
	Detail  string // JSON object; may be empty; never holds a secret
}

// AuditFilter narrows a list of audit events; empty fields keep everything.
type AuditFilter struct {
	Kind    string
	Kinds   []string // any of them; nil: all
	Subject string
	ActorID string
	Since   time.Time
	Until   time.Time
}

// AuditStore reads what acts have written. Events of what happens to records
// are written by the acts themselves; Record is for the rest.
type AuditStore interface {
	// RecordAudit adds an event that no other act writes, such as a failed
	// sign-in.
	RecordAudit(ctx context.Context, event AuditEvent) error

	// FindAudit returns the event with the id, or NotFound.
	FindAudit(ctx context.Context, id int64) (AuditEvent, error)

	// ListAudit returns a page, newest first, and the next cursor.
	ListAudit(ctx context.Context, filter AuditFilter, page PageRequest) ([]AuditEvent, string, error)

	// SweepAudit removes at most limit events from before a time, the oldest
	// first, once keep, which gets them, has returned nil; and returns how many
	// went. Nothing is locked while keep works.
	SweepAudit(ctx context.Context, before time.Time, limit int, keep func([]AuditEvent) error) (int, error)
}

// RecordCounts is how much of everything there is.
type RecordCounts struct {
	Users           int
	DisabledUsers   int
	Administrators  int // enabled ones
	Clients         int
	DisabledClients int
	ServiceAccounts int
	Sessions        int // live ones
	Grants          int // live ones
}

// Waiting is how much waits for a server to come to it.
type Waiting struct {
	Mails    int
	Logouts  int // notices of ended sessions
	Webhooks int // what they are to be told
	Scans    int // objects that are to be looked through for viruses
	Changes  int // events without a position in the feed, at most MostWaiting

	ChangedAt time.Time // when the oldest of these changes was made; zero: there is none
}

// MostWaiting is how many waiting changes are counted.
const MostWaiting = 10_000

// KeepSpent is how much longer than it lives something is kept, and known that it was revoked
// or used: a clock that is ahead takes it for over, and it lives once more when that clock is
// put right, and all the time on servers whose clocks are right.
const KeepSpent = 2 * time.Hour

// ClocksApart is how far clocks of servers that are right differ at most.
const ClocksApart = time.Minute

// UpkeepStore is for the worker that keeps the tables small, and for whoever
// asks how the store is.
type UpkeepStore interface {
	// SweepExpired removes at most limit rows of each kind that nothing needs
	// any more at now: codes a day past their end, login requests, sessions, one-time links,
	// invitations, attempts at upstreams, revocations of tokens, pages of sent forms, and users
	// who signed up and never came back (User.EndsAt) KeepSpent past theirs, files of people
	// that were to be imported as much later than KeepImports,
	// grants whose refresh token ended or that were revoked more
	// than keepGrants ago, logout deliveries
	// older than KeepLogoutDeliveries, failures of clients older than
	// KeepClientFailures, mails that are over and
	// older than KeepMails, sent forms older than KeepSentForms,
	// forgiven tries, usage older than KeepUsageHours and KeepUsageDays
	// and, which are no rows, crowds older than KeepCrowds. What waits for a server since a
	// time that lies ahead it makes due. It returns how many went; fewer
	// than limit of every kind means done for now.
	// A kind that can't be swept holds up no other.
	SweepExpired(ctx context.Context, now time.Time, keepGrants time.Duration, limit int) (int, error)

	// OldestExpired returns since when what SweepExpired would remove has waited
	// for it, as far as codes, login requests, sessions, grants and revocations
	// go; the zero time when nothing waits.
	OldestExpired(ctx context.Context, now time.Time, keepGrants time.Duration) (time.Time, error)

	// AcquireLease gives the named duty to holder until the given time if
	// nobody else's lease is running at now; the holder itself may renew.
	AcquireLease(ctx context.Context, name, holder string, now, until time.Time) (bool, error)

	// FitSearchKeys makes the records of each kind that lists are made of be found and
	// have their place, limit in one transaction: those of before there were such keys,
	// and of servers that know none. It returns how many.
	FitSearchKeys(ctx context.Context, limit int) (int, error)

	// CountRecords returns how much of everything there is at now.
	CountRecords(ctx context.Context, now time.Time) (RecordCounts, error)

	// CountWaiting returns what waits.
	CountWaiting(ctx context.Context) (Waiting, error)

	// Ping reports whether the store can serve a query: nil, or Unavailable.
	Ping(ctx context.Context) error
}

// RemovalDuty is the duty without which nobody removes bytes of files that rows have
// named. A backup has it as long as it copies them, so that nobody does. Whoever takes it
// does so for RemovalLease, and again before each batch.
const (
	RemovalDuty  = "removal of bytes"
	RemovalLease = 2 * time.Minute
)

// ServerSettings are what a server was set to, by the names of the settings;
// none of them is secret.
type ServerSettings map[string]string

// ServerSettingStore lets the command line know what the server was set to.
type ServerSettingStore interface {
	// KeepServerSettings keeps the settings in the place of those before.
	KeepServerSettings(ctx context.Context, settings ServerSettings) error

	// FindServerSettings returns the settings that were kept last; none before
	// the first server started.
	FindServerSettings(ctx context.Context) (ServerSettings, error)
}

// Identity is everything the identity half keeps. Consumers take the small
// interface they need; only the wiring knows this one.
type Identity interface {
	UserStore
	ClientStore
	LoginStore
	DeviceStore
	LogoutDeliveryStore
	GrantStore
	SigningKeyStore
	SealedStore
	ServiceAccountStore
	AuditStore
	ClientMemberStore
	ClientAccessStore
	ClientLogoStore
	ResourceStore
	EnrolmentStore
	ClientFailureStore
	OneTimeLinkStore
	ImportStore
	ArrivalStore
	MailStore
	FormStore
	UserGroupStore
	TryStore
	FactorStore
	PortraitStore
	BrandStore
	UpstreamStore
	DirectoryStore
	SCIMStore
	PolicyStore
	CalledStore
	UsageStore
	UpkeepStore
	ServerSettingStore
}
