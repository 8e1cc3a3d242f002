package storage

import (
	"context"
	"time"
)

// KeepDone is how long it is known that a request was carried out.
const KeepDone = 24 * time.Hour

// ReasonDone is the reason of the Conflict fault for a request that was carried
// out before: FindDone says what came of it.
const ReasonDone = "done_before"

// Once names a request, so that it is carried out at most once however often it
// is sent (the header Idempotency-Key). The zero Once names none.
type Once struct {
	Key         string // whose request, and which: unique to client, user and their own key
	Fingerprint string // of what was asked for
}

// Done is what came of a request with a key.
type Done struct {
	Fingerprint string
	Subject     string // uid of what was created, or of the item that got a version; bucket/key of an object
	Number      int    // of the version; 0 for anything else
	At          time.Time
}

// DoneStore knows which requests were carried out. CreateFolder, CreateItem,
// AddVersion and ReserveObject note it when their Change has a Once, in their
// own transaction, and refuse a key noted within KeepDone: Conflict
// (ReasonDone), exact whatever runs beside it. A refused change notes nothing.
type DoneStore interface {
	// FindDone returns what came of the request within KeepDone before now, or
	// NotFound.
	FindDone(ctx context.Context, key string, now time.Time) (Done, error)

	// SweepDone forgets at most limit requests older than KeepDone and returns
	// how many; fewer than limit means done for now.
	SweepDone(ctx context.Context, now time.Time, limit int) (int, error)
}
