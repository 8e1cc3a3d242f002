package storage

import (
	"context"
	"time"
)

// KeepImports is how long a file of people waits to be imported.
const KeepImports = time.Hour

// Import is a file of people that somebody sent, and is to look through.
type Import struct {
	ID     string // 22 characters, base64url
	UserID string // who sent it
	File   []byte
	At     time.Time
}

// ImportStore adds many people at once.
type ImportStore interface {
	// KeepImport keeps a file until it is dropped, or for KeepImports.
	KeepImport(ctx context.Context, file Import) error

	// FindImport returns the file of the user that was kept within KeepImports
	// before now, or NotFound.
	FindImport(ctx context.Context, userID, id string, now time.Time) (Import, error)

	// DropImport forgets the file. One that is absent is no error.
	DropImport(ctx context.Context, id string) error

	// FindLogins returns those of the addresses and user names that users have,
	// without regard to case.
	FindLogins(ctx context.Context, logins []string) (map[string]bool, error)

	// CreateUsers adds the users, without passwords, all or none. Conflict
	// (ReasonEmailTaken, ReasonUsernameTaken) when a user has an address or a name
	// of theirs, or two of them have one.
	CreateUsers(ctx context.Context, act Act, users []User) error
}
