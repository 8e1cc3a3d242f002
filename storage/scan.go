package storage

import (
	"context"
	"time"
)

// Reasons of the faults of scanned objects.
const (
	ReasonScanPending = "scan_pending" // Locked: nobody has looked at the bytes yet
	ReasonInfected    = "infected"     // Forbidden: there is something in them
)

// ScanStore keeps what is known of viruses in stored bytes. StoreBytes begins a
// scan when Bytes.Scan is ScanPending.
type ScanStore interface {
	// ClaimScans returns at most limit objects that wait for a scan and are due,
	// the longest first, and makes them due again at the later time: until then
	// they are the caller's.
	ClaimScans(ctx context.Context, now, later time.Time, limit int) ([]Object, error)

	// PutOffScan makes an object due at the time, if it waits for a scan.
	PutOffScan(ctx context.Context, bucket, key string, due time.Time) error

	// EndScan notes what was found in the bytes, "" for nothing, and writes a
	// finding into the events of the project and the audit trail. Objects that wait for no scan stay as they are.
	EndScan(ctx context.Context, act Act, bucket, key, finding string) error

	// ListInfected returns a page of the objects in whose bytes something was
	// found, in the order of bucket and key, and the next cursor.
	ListInfected(ctx context.Context, page PageRequest) ([]Object, string, error)
}
