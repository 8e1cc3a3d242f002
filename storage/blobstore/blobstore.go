// Package blobstore keeps bytes: in a directory (Files) or in a bucket of any
// S3-compatible service (S3). Both pass the same suite, in blobtest.
//
// It knows neither projects nor rights nor names of files; those are rows
// (package storage) which refer to bytes by key, and the endpoints are
// dataapi/objects'. Bytes come first and the row second, so that a crash leaves
// at worst bytes that nothing refers to. Start at Store.
package blobstore

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

// Limits of every driver, which are those of S3.
const (
	MaxParts = 10_000
	MaxPart  = 5 << 30 // bytes of a part
	MinPart  = 5 << 20 // bytes of every part but the last
)

// Reasons of the faults of this package.
const (
	ReasonUploadEnded  = "upload_ended"  // Gone: completed, aborted or never begun
	ReasonPartsChanged = "parts_changed" // Conflict: the parts are not those that were named
	ReasonBodyEnded    = "body_ended"    // Invalid: fewer bytes came than announced
	ReasonNoSpace      = "storage_full"  // Unavailable
	ReasonBadKey       = "bad_key"       // Invalid
)

// Part is a piece of an upload.
type Part struct {
	Number int // from 1
	Size   int64
	ETag   string // changes with the bytes; without quotes
}

// Info is what is known of stored bytes without reading them.
type Info struct {
	Key      string
	Size     int64
	StoredAt time.Time // or when the last part came
}

// Presentation is how signed bytes are to be shown; empty fields leave it to
// the store.
type Presentation struct {
	ContentType  string
	Disposition  string
	CacheControl string
}

// Store keeps bytes by key: 22 base64url characters that the caller makes up
// (ambient.Source.UID), one key for one upload. Other keys are Invalid
// (ReasonBadKey). Absent bytes are NotFound. It is safe for concurrent use, also
// by several processes on the same directory or bucket.
type Store interface {
	// Begin starts an upload of the bytes of the key, and returns how the store
	// calls it.
	Begin(ctx context.Context, key string) (upload string, err error)

	// PutPart takes exactly size bytes from body and keeps them as a part of the
	// upload; a part with the same number is replaced. What it returns without
	// an error survives a crash of the machine. Gone (ReasonUploadEnded);
	// Invalid (ReasonBodyEnded); Unavailable (ReasonNoSpace); a fault that the
	// body itself ends with comes back as it is.
	PutPart(ctx context.Context, key, upload string, number int, body io.Reader, size int64) (Part, error)

	// SignPart returns the address to which anyone can PUT the part until the
	// lifetime ends; "" when the store has no addresses of its own.
	SignPart(ctx context.Context, key, upload string, number int, lifetime time.Duration) (string, error)

	// Parts returns the parts of an upload in order. Gone (ReasonUploadEnded).
	Parts(ctx context.Context, key, upload string) ([]Part, error)

	// Complete makes the parts, which must be all there are, the bytes of the
	// key. They survive a crash when it returns. Doing it again changes nothing.
	// Conflict (ReasonPartsChanged); Gone (ReasonUploadEnded).
	Complete(ctx context.Context, key, upload string, parts []Part) error

	// Abort gives an upload up. One that has ended is none.
	Abort(ctx context.Context, key, upload string) error

	// Open reads length bytes from an offset on, or up to the end with -1. The
	// range must lie within the bytes.
	Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error)

	// SignGet returns the address at which anyone can GET the bytes until the
	// lifetime ends; "" when the store has no addresses of its own.
	SignGet(ctx context.Context, key string, show Presentation, lifetime time.Duration) (string, error)

	// Stat returns what is known of the bytes.
	Stat(ctx context.Context, key string) (Info, error)

	// Delete removes the bytes. Absent ones are no fault.
	Delete(ctx context.Context, key string) error

	// List returns at most limit of what is stored, in an order of the store's
	// own, from behind the given key on; fewer than limit means that was all.
	List(ctx context.Context, after string, limit int) ([]Info, error)

	// Quarantine sets bytes aside, where List and Open don't find them, for a
	// person to look at.
	Quarantine(ctx context.Context, key string) error

	// Tidy removes what uploads have left behind that saw nothing happen since
	// the given time.
	Tidy(ctx context.Context, before time.Time) error
}

// checkKey lets only keys through that can't mean anything to a file system.
func checkKey(key string) error {
	if len(key) != 22 {
		return badKey()
	}
	for _, c := range []byte(key) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		digit := c >= '0' && c <= '9'
		if !letter && !digit && c != '-' && c != '_' {
			return badKey()
		}
	}
	return nil
}

// checkPart checks the key as well.
func checkPart(key string, number int) error {
	if number < 1 || number > MaxParts {
		return fault.Newf(fault.Invalid, "", "A part has a number from 1 to %d.", MaxParts)
	}
	return checkKey(key)
}

func badKey() error {
	return fault.New(fault.Invalid, ReasonBadKey, "This is not a key of stored bytes.")
}

func absent() error {
	return fault.New(fault.NotFound, "", "There are no such bytes.")
}

// UploadEnded is what is said of an upload that was completed or aborted.
func UploadEnded() *fault.Error {
	return fault.New(fault.Gone, ReasonUploadEnded, "The upload has ended: begin another.")
}

func partsChanged() *fault.Error {
	return fault.New(fault.Conflict, ReasonPartsChanged, "The parts have changed meanwhile.")
}

// bodyEnded says so, unless whoever gives the body says something else.
func bodyEnded(cause error) error {
	var own *fault.Error
	if errors.As(cause, &own) {
		return own
	}
	return fault.New(fault.Invalid, ReasonBodyEnded, "The body ended before all announced bytes came.").Because(cause)
}
