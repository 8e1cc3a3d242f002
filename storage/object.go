package storage

import (
	"context"
	"time"
)

// ObjectState says how far an object has come.
type ObjectState string

// The states of an object.
const (
	ObjectReserved ObjectState = "reserved" // a key without bytes
	ObjectStored   ObjectState = "stored"   // the bytes lie where the key says
)

// ScanWithin is how long one scan for viruses may take; then another server may try.
const ScanWithin = 10 * time.Minute

// UploadLifetime is how long after its beginning an upload can be completed.
const UploadLifetime = 24 * time.Hour

// Reasons of the faults of objects.
const (
	ReasonObjectStored = "object_stored"  // Conflict: other bytes are stored under the key
	ReasonQuota        = "quota_exceeded" // Forbidden: the project would hold more than it may
	ReasonObjectSize   = "object_size"    // TooLarge: larger than any object of the project may be
	ReasonUploadEnded  = "upload_ended"   // Gone: its bytes are of no use, or were taken away
)

// Object is a place for bytes. The bytes themselves are kept elsewhere.
type Object struct {
	Bucket    string
	Key       string
	ProjectID string
	Name      string // of the file to be uploaded
	Target    ObjectTarget
	State     ObjectState
	CreatedAt time.Time
	CreatedBy string

	Bytes    // once stored
	StoredAt time.Time
}

// ObjectTarget is what an object was made for: one of the two is set.
type ObjectTarget struct {
	FolderID string // uid of the folder that the file is to lie in
	ItemID   string // uid of the item that is to get a version
}

// Bytes are what is known of stored bytes.
type Bytes struct {
	Blob     string // key under which they are kept: the id of the upload that brought them
	Size     int64
	SHA256   []byte
	SHA1     []byte
	CRC32    []byte // IEEE, four bytes, the highest first; empty: of bytes that nobody has read since sums are kept
	MimeType string // by what they begin with

	Scan    ScanState // for viruses
	Finding string    // what was found in infected bytes
}

// UnknownType reports whether a MIME type says no more than that there are
// bytes, or text. A version with such bytes has the type of its name.
func UnknownType(mimeType string) bool {
	return mimeType == "" || mimeType == "application/octet-stream" || mimeType == "text/plain"
}

// Upload is how the bytes of an object come, in one part or several. Its ID is
// the key under which they are kept if it is completed.
type Upload struct {
	ID        string
	Bucket    string
	Key       string
	Reference string // how the store of the bytes calls it; empty: it has been ended
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Limits are how much a project may store. 0: no limit.
type Limits struct {
	Quota     int64 // bytes of all stored objects
	MaxObject int64 // bytes of one
	Used      int64 // bytes of all stored objects now; only while there are limits
}

// ObjectStore keeps what is known of stored bytes.
type ObjectStore interface {
	// ReserveObject adds an object without bytes: Bucket, Key, ProjectID, Name
	// and Target are taken. NotFound for an absent project; Conflict when bucket
	// and key are taken; Locked (ReasonProjectArchived).
	ReserveObject(ctx context.Context, change Change, object Object) error

	// StoreBytes notes that the bytes are there, drops the uploads of the object
	// and returns it. Bytes with a Blob are those of the upload with this ID: Gone
	// (ReasonUploadEnded) when that was ended. With the same size and hash as before nothing
	// changes, and what comes back has the Blob that was stored first. With others:
	// Conflict (ReasonObjectStored). NotFound; TooLarge (ReasonObjectSize);
	// Forbidden (ReasonQuota), exact whatever runs beside it; Locked
	// (ReasonProjectArchived).
	StoreBytes(ctx context.Context, change Change, bucket, key string, bytes Bytes) (Object, error)

	// FindObject returns the object in any state, or NotFound.
	FindObject(ctx context.Context, bucket, key string) (Object, error)

	// ListObjectItems returns the uids of items with a version that has the object: one
	// for each way in which the user can stand to those that do, by what is granted to
	// them there and by whether it is hidden. Visible ones come first, and then the
	// highest grants.
	ListObjectItems(ctx context.Context, userID string, object Object) ([]string, error)

	// BeginUpload adds an upload of an object that has no bytes yet. NotFound;
	// Conflict (ReasonObjectStored); Locked (ReasonProjectArchived).
	BeginUpload(ctx context.Context, change Change, upload Upload) error

	// FindUpload returns an upload of the object that has not expired, or
	// NotFound.
	FindUpload(ctx context.Context, bucket, key, id string, now time.Time) (Upload, error)

	// HoldBytes counts bytes that are coming for an upload, or with a negative size no longer are,
	// where its project may store only so many. Forbidden (ReasonQuota) when all that came for its
	// uploads that are not completed would be more than twice that, exact whatever runs beside it.
	HoldBytes(ctx context.Context, id string, size int64) error

	// EndUpload ends an upload, and reports whether it was this call that did: its bytes
	// can be noted no more, count as held no more, and are the caller's to remove. FindUpload
	// finds it without a Reference until it expires.
	EndUpload(ctx context.Context, id string) (bool, error)

	// SetLimits says how much the project may store. What is stored already
	// stays. NotFound.
	SetLimits(ctx context.Context, change Change, projectID string, limits Limits) error

	// FindLimits returns the project's limits, none for an absent one.
	FindLimits(ctx context.Context, projectID string) (Limits, error)
}

// OrphanGrace is how long the sweep leaves an object alone that no version has.
const OrphanGrace = 7 * 24 * time.Hour

// ObjectUpkeepStore is for the sweep of bytes that nothing needs, and for
// whoever compares rows and bytes.
type ObjectUpkeepStore interface {
	// SweepUploads forgets at most limit uploads that expired KeepSpent ago and returns how many;
	// fewer than limit means done for now. One that was ended stays for another
	// UploadLifetime: a completion may still be under way that must be refused.
	SweepUploads(ctx context.Context, now time.Time, limit int) (int, error)

	// MarkOrphans notes that since now no version has what is older than
	// UploadLifetime and has none, at most limit objects, and returns how many.
	// A version that takes the object ends that.
	MarkOrphans(ctx context.Context, now time.Time, limit int) (int, error)

	// DropOrphans removes at most limit objects that have been marked for
	// OrphanGrace, and returns them: their bytes are to be deleted. One that a
	// version takes at the same moment stays.
	DropOrphans(ctx context.Context, act Act, limit int) ([]Object, error)

	// ListStored returns a page of the stored objects, in the order of bucket
	// and key, and the next cursor.
	ListStored(ctx context.Context, page PageRequest) ([]Object, string, error)

	// StoredExtent returns how many objects are stored, with documents of twins, and
	// their bytes.
	StoredExtent(ctx context.Context) (objects int, bytes int64, err error)

	// NoteCRC32 keeps the sum of bytes that came when none was kept. One that is
	// known stays; bytes that no object has are no fault.
	NoteCRC32(ctx context.Context, blob string, sum []byte) error

	// KnowsBlob reports whether an object, an upload or a document of a twin
	// has the key of bytes, or whether they are noted for one.
	KnowsBlob(ctx context.Context, blob string) (bool, error)
}

// ScanState says how far the search for viruses in an object's bytes has come.
type ScanState string

// The states of a scan.
const (
	ScanNone     ScanState = "" // nobody asked for one
	ScanPending  ScanState = "pending"
	ScanClean    ScanState = "clean"
	ScanInfected ScanState = "infected"
)
