package storage

import (
	"context"
	"time"
)

// FormerMember is what somebody is called who is gone, where something of theirs
// stayed.
const FormerMember = "A former member"

// Portrait is the picture of a person, drawn in several sizes.
type Portrait struct {
	Hash  string // names the picture: lower-case hexadecimal digits
	Sizes []PortraitSize
}

// PortraitSize is a portrait of that many pixels in width and height.
type PortraitSize struct {
	Side    int
	Picture []byte // JPEG
}

// PortraitStore keeps the pictures of people. They are apart from the people, who
// are read at every request.
type PortraitStore interface {
	// SetPortrait gives the user the portrait in place of the one before, and makes
	// it their Portrait; the same again changes nothing. NotFound for an absent user.
	SetPortrait(ctx context.Context, act Act, userID string, portrait Portrait) error

	// DeletePortrait takes it away. NotFound when there is none.
	DeletePortrait(ctx context.Context, act Act, userID string) error

	// FindPortrait returns the picture of the portrait with the hash, whoever has
	// it, with so many pixels in width and height. NotFound.
	FindPortrait(ctx context.Context, hash string, side int) (picture []byte, err error)
}

// Membership is something that a person belongs to.
type Membership struct {
	Kind string // hub, project, hub_group, facility or group (of the server)
	ID   string
	Name string
	Role string // admin or member; of a facility read, read_write, manage or owner
}

// AddedVersion is a version of a document that a person added.
type AddedVersion struct {
	ProjectID string
	ItemID    string
	Number    int // of the version
	Name      string
	Size      int64
	CreatedAt time.Time
}

// OwnTransmittal is something that a person sent, or was sent.
type OwnTransmittal struct {
	ProjectID string
	Number    int
	Title     string
	Message   string // what they wrote; empty where they did not send it
	SentAt    time.Time
	Sent      bool // by them
	Fetched   int  // versions that they have fetched
	LastAt    time.Time
}

// PersonStore tells people what there is of them all over the server.
type PersonStore interface {
	// ListMemberships returns a page of what the user belongs to, and the next
	// cursor.
	ListMemberships(ctx context.Context, userID string, page PageRequest) ([]Membership, string, error)

	// ListAddedVersions returns a page of the versions that the user added, also where
	// they belong to the project no more, and the next cursor.
	ListAddedVersions(ctx context.Context, userID string, page PageRequest) ([]AddedVersion, string, error)

	// ListOwnTransmittals returns a page of what the user sent or was sent, wherever
	// they belong by now, and the next cursor.
	ListOwnTransmittals(ctx context.Context, userID string, page PageRequest) ([]OwnTransmittal, string, error)
}
