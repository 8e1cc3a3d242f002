package storage

import (
	"context"
	"time"
)

// DocumentState says how a document stands to its original.
type DocumentState string

// The states of documents.
const (
	DocumentReady    DocumentState = "ready"          // what it is meant to be
	DocumentOutdated DocumentState = "outdated"       // the original has a newer version
	DocumentOrphaned DocumentState = "source_missing" // the original is gone, or closed to whoever imported it
	DocumentFailed   DocumentState = "failed"         // the newer version could not be taken: Reason
)

// DocumentPolicy says what happens when the original gets a newer version.
type DocumentPolicy string

// The policies of documents.
const (
	PolicyAuto   DocumentPolicy = "auto"   // the newer version is taken
	PolicyNotify DocumentPolicy = "notify" // it is only said
	PolicyPin    DocumentPolicy = "pin"    // nothing
)

// TwinSource is a version that a document was copied from.
type TwinSource struct {
	HubID     string
	ProjectID string
	ItemID    string
	Version   int
}

// TwinDocument is a copy of a version of an item, kept in a facility. There is
// one of an item in a facility.
type TwinDocument struct {
	ID          string // 22 base64url characters
	FacilityID  string
	Name        string
	Label       string // may be empty
	ContentType string
	Blob        string // key under which the bytes are kept
	Size        int64
	SHA256      []byte
	Revision    int // how often the bytes were replaced
	CreatedAt   time.Time
	UpdatedAt   time.Time // when the bytes came
	Source      TwinSource
	Newest      int // newest version of the original that is known of
	Policy      DocumentPolicy
	State       DocumentState
	Reason      string    // of DocumentFailed and DocumentOrphaned; may be empty
	By          Caller    // in whose name it follows the original
	DueAt       time.Time // when the original is to be looked at, as it was read; zero: when something happens
}

// Reasons of the faults of documents.
const (
	ReasonOlderVersion  = "older_version"  // Conflict: the document is of a newer version
	ReasonDocumentMoved = "document_moved" // Conflict: its bytes, or its policy, are others by now
)

// Imported says what an import has come to.
type Imported string

// What an import comes to.
const (
	ImportedNew     Imported = "created"
	ImportedNewer   Imported = "updated"
	ImportedAlready Imported = "unchanged" // the same version was there
)

// DocumentQuery narrows a list of documents; empty fields keep everything.
type DocumentQuery struct {
	States   []DocumentState
	ModelID  string // with Key: those that values of the element name
	Key      string
	SourceID string // uid of the item
}

// DocumentUse is a value that names a document.
type DocumentUse struct {
	DocumentID string
	ModelID    string
	Key        string
	Family     string
	Column     string
}

// DocumentPatch changes what is said of a document; nil leaves it.
type DocumentPatch struct {
	Name   *string
	Label  *string
	Policy *DocumentPolicy
}

// DocumentStore keeps documents. Their bytes are kept elsewhere: what is noted
// with NoteBlobs or replaced is to be deleted after a while, unless a document
// has it.
type DocumentStore interface {
	// ImportDocument adds the document, or gives the one of the same item newer
	// bytes: ID, Name, Label, Source, Policy and By of it are taken then too,
	// except ID, and Label when it is empty. Either makes it due: what happened
	// to the original while it was copied touched no document. With the same
	// version nothing changes, but that one in the state DocumentOrphaned takes
	// By and is due. What comes back is the document as it is. NotFound; Conflict
	// (ReasonOlderVersion).
	ImportDocument(ctx context.Context, change Change, document TwinDocument) (TwinDocument, Imported, error)

	// RefreshDocument gives the document the bytes of a newer version of its
	// item, and the state ready, and leaves it due, as ImportDocument does.
	// NotFound; Conflict (ReasonDocumentMoved) unless revision and policy are the
	// given one's: copying takes a while, in which it may have been pinned.
	RefreshDocument(ctx context.Context, change Change, document TwinDocument) error

	// SetDocumentState says how the document stands to its original, as long as
	// its revision is the given one's, and that somebody has looked: it is due
	// no longer, unless that was said anew since the given one was read. The
	// same again changes nothing.
	SetDocumentState(ctx context.Context, change Change, document TwinDocument) error

	// FindDocument returns the document, or NotFound.
	FindDocument(ctx context.Context, facilityID, documentID string) (TwinDocument, error)

	// ListDocuments returns a page in the order of making, and the next cursor.
	ListDocuments(ctx context.Context, facilityID string, query DocumentQuery,
		page PageRequest) ([]TwinDocument, string, error)

	// ListAllDocuments returns a page of those of all facilities in the order of
	// making, and the next cursor.
	ListAllDocuments(ctx context.Context, page PageRequest) ([]TwinDocument, string, error)

	// UpdateDocument changes what is said of a document, and returns it. A policy
	// that takes newer versions makes it due. NotFound.
	UpdateDocument(ctx context.Context, change Change, facilityID, documentID string,
		patch DocumentPatch) (TwinDocument, error)

	// DeleteDocument removes the document and returns the values, at most
	// MaxPage, that name it and now lead nowhere. NotFound.
	DeleteDocument(ctx context.Context, change Change, facilityID, documentID string) ([]DocumentUse, error)

	// ListUses returns a page of the values that name documents of the facility,
	// or one of them, and the next cursor.
	ListUses(ctx context.Context, facilityID, documentID string, page PageRequest) ([]DocumentUse, string, error)

	// NoteBlobs says which bytes are about to be kept.
	NoteBlobs(ctx context.Context, now time.Time, blobs []string) error

	// ListNotedBlobs returns at most limit bytes that were noted before the time
	// and that no document has. ForgetBlobs is for when they are deleted.
	ListNotedBlobs(ctx context.Context, before time.Time, limit int) ([]string, error)
	ForgetBlobs(ctx context.Context, blobs []string) error

	// SetUserDisabled, what changes the status of a service account, and what
	// deletes either or a client make the documents due that follow in their
	// name: no event says so.

	// Position returns how far the follower with the name has come in the
	// events; 0: nowhere. Advance makes documents due and says so in the same
	// transaction; one that is behind where the follower is changes nothing.
	Position(ctx context.Context, follower string) (int64, error)
	Advance(ctx context.Context, follower string, to int64, now time.Time, due []Touched) error

	// ListDue returns at most limit documents that are due by now, the longest
	// first; one whose own item was touched counts as due an hour longer than
	// one of a touched project or hub.
	ListDue(ctx context.Context, now time.Time, limit int) ([]TwinDocument, error)

	// Postpone makes a document due at a later time.
	Postpone(ctx context.Context, documentID string, to time.Time) error
}

// Touched is what an event may have changed for documents: those of an item, of
// everything in a project, or of everything in a hub. One of the three is set;
// none: every document.
type Touched struct {
	ItemID    string
	ProjectID string
	HubID     string
}
