package engine

import (
	"context"
	"maps"
	"time"

	"github.com/portico-id/portico/storage"
)

// ProgressColumns are those of a delivery and its storage.Progress, of deliveries d.
const ProgressColumns = `d.id, d.created_at, d.attempts, d.last_at, d.last_status, d.failure, d.next_at, d.delivered_at`

// RecordAttempt runs the statement that counts an attempt; more is what it needs
// besides.
func RecordAttempt(ctx context.Context, db *DB, statement string, attempt storage.DeliveryAttempt, more ...Args) error {
	arg := Args{
		"id": attempt.DeliveryID, "at": attempt.At, "status": attempt.Status, "failure": attempt.Failure,
		"next_at": attempt.NextAt, "delivered_at": time.Time{},
	}
	if attempt.Failure == "" {
		arg["delivered_at"] = attempt.At
	}
	for _, m := range more {
		maps.Copy(arg, m)
	}
	_, err := db.WriteOne(ctx, statement, arg)
	return err
}
