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

// Object is a place for bytes. The bytes themselves are kept elsewhere.
type Object struct {
	Bucket    string
	Key       string
	ProjectID string
	Name      string // of the file to be uploaded
	State     ObjectState
	Size      int64  // bytes, once stored
	SHA256    []byte // once stored
	CreatedAt time.Time
	CreatedBy string
	StoredAt  time.Time // zero: not yet
}

// ObjectStore keeps what is known of stored bytes.
type ObjectStore interface {
	// ReserveObject adds an object without bytes. NotFound for an absent
	// project; Conflict when bucket and key are taken; Locked
	// (ReasonProjectArchived).
	ReserveObject(ctx context.Context, change Change, object Object) error

	// StoreObject notes that the bytes are there. Doing it again with the same
	// size and hash changes nothing; with others: Conflict. NotFound.
	StoreObject(ctx context.Context, change Change, bucket, key string, size int64, sha256 []byte) error

	// FindObject returns the object in any state, or NotFound.
	FindObject(ctx context.Context, bucket, key string) (Object, error)
}
