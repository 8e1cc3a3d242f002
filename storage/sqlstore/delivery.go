package sqlstore

import (
	"context"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// progressRow is what webhook_deliveries and logout_deliveries have in common.
type progressRow struct {
	ID          int64   `db:"id"`
	CreatedAt   instant `db:"created_at"`
	Attempts    int     `db:"attempts"`
	LastAt      instant `db:"last_at"`
	LastStatus  int     `db:"last_status"`
	Failure     string  `db:"failure"`
	NextAt      instant `db:"next_at"`
	DeliveredAt instant `db:"delivered_at"`
}

const progressColumns = `d.id, d.created_at, d.attempts, d.last_at, d.last_status, d.failure, d.next_at, d.delivered_at`

func (r progressRow) id() int64 { return r.ID }

func (r progressRow) progress() storage.Progress {
	return storage.Progress{
		CreatedAt: r.CreatedAt.Time, Attempts: r.Attempts, LastAt: r.LastAt.Time, LastStatus: r.LastStatus,
		Failure: r.Failure, NextAt: r.NextAt.Time, DeliveredAt: r.DeliveredAt.Time,
	}
}

// recordAttempt runs the statement that counts an attempt.
func (s *Store) recordAttempt(ctx context.Context, statement string, attempt storage.DeliveryAttempt) error {
	arg := args{
		"id": attempt.DeliveryID, "at": at(attempt.At), "status": attempt.Status, "failure": attempt.Failure,
		"next_at": at(attempt.NextAt), "delivered_at": instant{},
	}
	if attempt.Failure == "" {
		arg["delivered_at"] = at(attempt.At)
	}
	_, err := s.writeOne(ctx, statement, arg)
	return err
}

// pageDeliveries returns a page of the query for the deliveries of the owner
// before an id. The cursor is the id of the last delivery of the page before.
func pageDeliveries[R interface{ id() int64 }](ctx context.Context, s *Store, query, owner string, page storage.PageRequest) ([]R, string, error) {
	limit, err := pageLimit(page)
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
	if err := s.reader.list(ctx, &rows, query, args{"owner": owner, "before": before, "limit": limit + 1}); err != nil {
		return nil, "", asFault(err)
	}
	rows, next := cutPage(rows, limit, func(r R) string { return strconv.FormatInt(r.id(), 10) })
	return rows, next, nil
}
