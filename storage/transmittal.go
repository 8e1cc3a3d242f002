package storage

import (
	"context"
	"time"
)

// Bounds of transmittals.
const (
	MaxSentVersions       = 1000
	MaxSentTo             = 200  // people
	MaxTransmittalTitle   = 255  // characters
	MaxTransmittalMessage = 4096 // bytes
)

// Transmittal is what was sent to people of a project: a letter with a list of
// versions, as they were then. Nothing of it changes any more.
type Transmittal struct {
	Number   int // in the project, from 1 without gaps
	Title    string
	Message  string
	SentAt   time.Time
	SentBy   string // id of a user; empty: an app by itself
	Versions int    // how many
	To       int    // how many people
	Size     int64  // of all versions, in bytes
}

// SentVersion is a version as it was when it was sent.
type SentVersion struct {
	VersionRef
	Name   string
	Size   int64
	SHA256 string // in hexadecimal digits; empty: there were no bytes
	VersionState
}

// SentTo is a person to whom something was sent, and how much of it they have
// fetched.
type SentTo struct {
	UserID  string
	Group   string // what the group was called through which they were meant; empty: by themselves
	Fetched int    // versions
	LastAt  time.Time
}

// Fetched is that a person has fetched a version of a transmittal: the first time.
type Fetched struct {
	ID     int64 // grows with time
	UserID string
	Name   string
	VersionRef
	At time.Time
}

// ReasonSightChanged is the reason of the Locked fault for what is not sent because
// rights, groups or what is to be sent are others by now.
const ReasonSightChanged = "sight_changed"

// NewTransmittal is what is to be sent.
type NewTransmittal struct {
	Title, Message string
	Versions       []VersionRef
	To             []SentTo
	Groups         map[string][]string // by their ids: who was in them, with an account that is enabled
}

// TransmittalStore keeps what was sent.
type TransmittalStore interface {
	// SendTransmittal gives it the next number of the project, and keeps what the
	// versions are at the moment. The mails, which say the number, are made by
	// letters, which may be called more than once. NotFound for an absent project or
	// version; Locked (ReasonProjectArchived, ReasonProjectBusy), and with
	// ReasonSightChanged unless at this moment the caller has the level edit where each
	// of the versions lies, everybody to whom it is sent sees all of them, and the same
	// people are in the groups.
	SendTransmittal(ctx context.Context, change Change, projectID string, sent NewTransmittal,
		letters func(number int) []Mail) (Transmittal, error)

	// ListTransmittals returns a page of what was sent in the project, the newest
	// first, and the next cursor; with a reader's id, what they sent or were sent.
	ListTransmittals(ctx context.Context, projectID, reader string, page PageRequest) ([]Transmittal, string, error)

	// FindTransmittal returns one with its versions in the order in which they were
	// named, and its people by their ids. NotFound.
	FindTransmittal(ctx context.Context, projectID string, number int) (Transmittal, []SentVersion, []SentTo, error)

	// NoteFetched notes that somebody to whom it was sent has fetched versions of
	// it. What was noted before, or is not in it, is no change; without any nothing
	// is written.
	NoteFetched(ctx context.Context, projectID string, number int, userID string, refs []VersionRef, at time.Time) error

	// ListFetched returns a page of who has fetched what, in that order, and the
	// next cursor.
	ListFetched(ctx context.Context, projectID string, number int, page PageRequest) ([]Fetched, string, error)

	// ListSentFiles returns the versions of a transmittal that are still there, with
	// what is known of their bytes, under the names that they were sent with, in no
	// order.
	ListSentFiles(ctx context.Context, projectID string, number int) ([]PackedFile, error)
}
