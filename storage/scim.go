package storage

import (
	"context"
	"time"
)

// SCIMConnection is a company that sends its people and groups (RFC 7644). What it
// made is its own: nobody else changes it, and it sees nothing else.
type SCIMConnection struct {
	ID          string // 22 characters, base64url
	Name        string // unique
	Domains     []string
	GroupPrefix string // what the names of its groups begin with on this server
	Disabled    bool
	CreatedAt   time.Time
	Users       int // how many it has that are not hidden; read only
	Groups      int // likewise
}

// Limits of connections.
const (
	MaxSCIMTokens = 2  // of one connection that have not ended: one is rotated at a time
	MaxSCIMCalls  = 50 // that are kept of one connection

	// KeepHiddenPeople is how long somebody stays whom their company deleted.
	KeepHiddenPeople = 30 * 24 * time.Hour
)

// Reasons of the faults of SCIMStore.
const (
	ReasonManaged     = "managed_elsewhere"  // a company's own: it is changed there
	ReasonUntouchable = "administrator"      // no company changes administrators of the server
	ReasonTokensFull  = "tokens_full"        // MaxSCIMTokens
	ReasonTaken       = "uniqueness"         // somebody has the name or the id
	ReasonNoMember    = "member_not_found"   // nobody of the connection
	ReasonVersion     = "version_superseded" // what If-Match named
)

// SCIMToken is what a company proves itself with.
type SCIMToken struct {
	ID           string
	ConnectionID string
	Label        string
	Hash         []byte // SHA-256
	CreatedAt    time.Time
	EndsAt       time.Time // zero: never
	LastUsedAt   time.Time // zero: never; may lag by a second
}

// SCIMCall is a request of a company, and what became of it.
type SCIMCall struct {
	ConnectionID string
	At           time.Time
	Method       string
	Path         string // below the connection's address, with the query
	Status       int
	Detail       string // what it changed, or why it was refused; may be empty
	RequestID    string
}

// SCIMOwner is the connection that a person or a group belongs to.
type SCIMOwner struct {
	ConnectionID string
	Name         string // of the connection
}

// SCIMStore keeps the companies that send people, and what is theirs.
type SCIMStore interface {
	SCIMUserStore
	SCIMGroupStore

	// CreateSCIMConnection adds a connection. Conflict (ReasonNameTaken).
	CreateSCIMConnection(ctx context.Context, act Act, connection SCIMConnection) error

	// FindSCIMConnection returns the connection, disabled ones too, or NotFound.
	FindSCIMConnection(ctx context.Context, id string) (SCIMConnection, error)

	// ListSCIMConnections returns all connections by name.
	ListSCIMConnections(ctx context.Context) ([]SCIMConnection, error)

	// UpdateSCIMConnection makes name, domains, prefix and Disabled what change says of them
	// as they are, which nobody changes meanwhile. Groups keep the names that they have.
	// NotFound; Conflict as CreateSCIMConnection; what change returns.
	UpdateSCIMConnection(ctx context.Context, act Act, id string,
		change func(*SCIMConnection) error) (SCIMConnection, error)

	// DeleteSCIMConnection removes the connection with its tokens. Its people and
	// groups stay as they are, and are nobody's. NotFound.
	DeleteSCIMConnection(ctx context.Context, act Act, id string) error

	// AddSCIMToken adds a token. NotFound for an absent connection; Conflict
	// (ReasonTokensFull) when it has MaxSCIMTokens that have not ended, exact
	// whatever runs beside it. Those that have ended go.
	AddSCIMToken(ctx context.Context, act Act, token SCIMToken) error

	// DeleteSCIMToken ends a token. NotFound.
	DeleteSCIMToken(ctx context.Context, act Act, connectionID, id string) error

	// ListSCIMTokens returns the tokens of the connection, oldest first.
	ListSCIMTokens(ctx context.Context, connectionID string) ([]SCIMToken, error)

	// FindSCIMCaller returns the connection, which is not disabled, and the id of the
	// token with the hash, which has not ended at now. NotFound.
	FindSCIMCaller(ctx context.Context, hash []byte, now time.Time) (SCIMConnection, string, error)

	// RecordSCIMCalls adds calls, drops the oldest of a connection beyond
	// MaxSCIMCalls, and notes when tokens, by their ids, were used. Those of absent
	// connections are passed over.
	RecordSCIMCalls(ctx context.Context, calls []SCIMCall, used map[string]time.Time) error

	// ListSCIMCalls returns the calls of the connection that are kept, newest first.
	ListSCIMCalls(ctx context.Context, connectionID string) ([]SCIMCall, error)

	// FindSCIMOwners returns whose the users and groups with the ids are, by id; who
	// is nobody's is not in it.
	FindSCIMOwners(ctx context.Context, ids []string) (map[string]SCIMOwner, error)
}
