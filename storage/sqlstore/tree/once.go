package tree

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	claimRequest = `
INSERT INTO done_requests (key, fingerprint, subject, number, at) VALUES (:key, :fingerprint, :subject, 0, :at)
ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, subject = excluded.subject, number = 0, at = excluded.at
WHERE done_requests.at <= :before`

	numberRequest = `
UPDATE done_requests SET number = :number WHERE key = :key`

	selectDone = `
SELECT fingerprint, subject, number, at FROM done_requests WHERE key = :key AND at > :before`
)

var sweepDone = engine.Sweeping("done_requests", "key", "at <= :before")

// once notes that a change is being carried out, for good if its transaction
// is, and refuses one that was. Of two at once the second waits for the first.
func (t tx) once(ctx context.Context, change storage.Change, subject string) error {
	if change.Once.Key == "" {
		return nil
	}
	done := fault.New(fault.Conflict, storage.ReasonDone, "This request was carried out before.")
	return t.ExecOne(ctx, done, claimRequest, engine.Args{
		"key": change.Once.Key, "fingerprint": change.Once.Fingerprint, "subject": subject,
		"at": change.At, "before": change.At.Add(-storage.KeepDone),
	})
}

// numbered adds to it which version came of the change.
func (t tx) numbered(ctx context.Context, change storage.Change, number int) error {
	if change.Once.Key == "" {
		return nil
	}
	_, err := t.Exec(ctx, numberRequest, engine.Args{"key": change.Once.Key, "number": number})
	return err
}

// FindDone implements storage.DoneStore.
func (s *Tree) FindDone(ctx context.Context, key string, now time.Time) (storage.Done, error) {
	return engine.FindKept[storage.Done](ctx, s.db, "request", selectDone,
		engine.Args{"key": key, "before": now.Add(-storage.KeepDone)})
}

// SweepDone implements storage.DoneStore.
func (s *Tree) SweepDone(ctx context.Context, now time.Time, limit int) (int, error) {
	return s.db.Sweep(ctx, sweepDone, engine.Args{"before": now.Add(-storage.KeepDone), "limit": limit})
}
