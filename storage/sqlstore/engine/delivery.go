package engine

import (
	"context"
	"maps"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// ProgressRow is what webhook_deliveries, logout_deliveries and mails have in
// common.
type ProgressRow struct {
	ID          int64   `db:"id"`
	CreatedAt   Instant `db:"created_at"`
	Attempts    int     `db:"attempts"`
	LastAt      Instant `db:"last_at"`
	LastStatus  int     `db:"last_status"`
	Failure     string  `db:"failure"`
	NextAt      Instant `db:"next_at"`
	DeliveredAt Instant `db:"delivered_at"`
}

// ProgressColumns are those of a ProgressRow, of deliveries d.
const ProgressColumns = `d.id, d.created_at, d.attempts, d.last_at, d.last_status, d.failure, d.next_at, d.delivered_at`

func (r ProgressRow) id() int64 { return r.ID }

// Progress is the row as the contract has it.
func (r ProgressRow) Progress() storage.Progress {
	return storage.Progress{
		CreatedAt: r.CreatedAt.Time, Attempts: r.Attempts, LastAt: r.LastAt.Time, LastStatus: r.LastStatus,
		Failure: r.Failure, NextAt: r.NextAt.Time, DeliveredAt: r.DeliveredAt.Time,
	}
}

// RecordAttempt runs the statement that counts an attempt; more is what it needs
// besides.
func RecordAttempt(ctx context.Context, db *DB, statement string, attempt storage.DeliveryAttempt, more ...Args) error {
	arg := Args{
		"id": attempt.DeliveryID, "at": At(attempt.At), "status": attempt.Status, "failure": attempt.Failure,
		"next_at": At(attempt.NextAt), "delivered_at": Instant{},
	}
	if attempt.Failure == "" {
		arg["delivered_at"] = At(attempt.At)
	}
	for _, m := range more {
		maps.Copy(arg, m)
	}
	_, err := db.WriteOne(ctx, statement, arg)
	return err
}

// PageDeliveries returns a page of the query for the deliveries of the owner
// before an id. The cursor is the id of the last delivery of the page before.
func PageDeliveries[R interface{ id() int64 }](ctx context.Context, db *DB, query, owner string, page storage.PageRequest) ([]R, string, error) {
	limit, err := PageLimit(page)
	if err != nil {
		return nil, "", err
	}
	before := int64(1<<63 - 1)
	if page.After != "" {
		if before, err = strconv.ParseInt(page.After, 10, 64); err != nil {
			return nil, "", fault.New(fault.Invalid, "", "The cursor is none that a page of deliveries ends with.")
		}
	}
	var rows []R
	if err := db.List(ctx, &rows, query, Args{"owner": owner, "before": before, "limit": limit + 1}); err != nil {
		return nil, "", AsFault(err)
	}
	rows, next := CutPage(rows, limit, func(r R) string { return strconv.FormatInt(r.id(), 10) })
	return rows, next, nil
}
