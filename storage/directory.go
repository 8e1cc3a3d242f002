package storage

import (
	"context"
	"time"
)

// Outcomes of walks.
const (
	WalkDone    = "done"
	WalkFailed  = "failed"  // the directory did not answer to the end
	WalkStopped = "stopped" // too many were missing: nobody was disabled
)

// ReasonDirectoryNameTaken is the reason of the Conflict fault of a directory with the
// name of another, or of a connection.
const ReasonDirectoryNameTaken = "directory_name_taken"

// DirectoryWalk is what the last walk through a directory came to.
type DirectoryWalk struct {
	UpstreamID string
	BeganAt    time.Time // zero: there was none
	EndedAt    time.Time
	Outcome    string
	Detail     string // why it failed, or stopped
	People     int    // whom it saw
	Groups     int    // that it saw
	Changed    int    // people and groups that came or were changed
	Missing    int    // people whom it did not see any more
	Skipped    int    // entries that are no people here, such as those without an address
}

// Directory is what is known of a directory beside what its upstream says.
type Directory struct {
	DirectoryWalk
	GroupPrefix string // what the names of its groups begin with here
	Connected   int    // how many people have an identity of it that has not ended
}

// DirectoryPerson is what is known of a person of a directory.
type DirectoryPerson struct {
	UpstreamIdentity
	Owned    bool   // what the directory says of them is theirs
	Active   bool   // likewise: the directory lets them in
	Document []byte // likewise: as SCIMUser has it
}

// Typed is what somebody typed to sign in, and whose name it is.
type Typed struct {
	Login    string
	Password string
	User     User // of no ID: nobody has the name here
	HasHash  bool // a password of the user's is kept here
	Unseen   bool // there were too many tries: the password is not to be looked at
}

// DirectoryStore keeps directories: upstreams of the kind UpstreamLDAP, each with a
// SCIMConnection of the same id, to which the people belong who came from it. Such a
// connection is in no list of connections, and nobody finds it there.
type DirectoryStore interface {
	// CreateDirectory adds both. Conflict (ReasonUpstreamTaken,
	// ReasonDirectoryNameTaken).
	CreateDirectory(ctx context.Context, act Act, upstream Upstream, connection SCIMConnection) error

	// UpdateDirectory changes both, as UpdateUpstream and UpdateSCIMConnection do, and
	// whether it is disabled; nil: that stays as it is.
	UpdateDirectory(ctx context.Context, act Act, upstream Upstream, connection SCIMConnection, disabled *bool) error

	// DeleteDirectory removes both, and ends what rests on it. People stay, and are
	// nobody's. NotFound.
	DeleteDirectory(ctx context.Context, act Act, id string) error

	// FindDirectories returns those of the ids that are directories, in no order.
	FindDirectories(ctx context.Context, ids []string) ([]Directory, error)

	// NoteWalk keeps what a walk came to; one that stopped or failed where the last
	// did not is audited. NotFound.
	NoteWalk(ctx context.Context, act Act, walk DirectoryWalk) error

	// FindDirectoryPeople returns those whom the directory knows by the subjects.
	FindDirectoryPeople(ctx context.Context, id, issuer string, subjects []string) ([]DirectoryPerson, error)

	// ListDirectoryPeople returns at most limit of those whose identity has not ended,
	// by subject, from after a subject on.
	ListDirectoryPeople(ctx context.Context, id, after string, limit int) ([]DirectoryPerson, error)
}
