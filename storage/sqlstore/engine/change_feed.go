package engine

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

const (
	selectUnstamped = `
SELECT seq FROM events WHERE position IS NULL LIMIT 1`

	selectPositions = `
SELECT last, forgotten FROM event_positions WHERE id = 1`

	selectEpoch = `
SELECT epoch FROM event_positions WHERE id = 1`

	// Whoever gives positions has this row, so they are given and seen in order.
	lockPositions = selectPositions + `
FOR UPDATE`

	// One look at the events is enough for their order: whoever changes a thing
	// after somebody else has waited for their commit, so that no look shows
	// the second change without the first, and the first has drawn the lower
	// number. To pass over what is newer than the oldest open transaction, as
	// cursors made of such numbers have to, would spoil it: the second change may
	// have the older transaction.
	stampEvents = `
UPDATE events SET position = cast(:last AS bigint) + ready.n
FROM (
	SELECT seq, row_number() OVER (ORDER BY seq) AS n
	FROM (SELECT seq FROM events WHERE position IS NULL ORDER BY seq LIMIT :limit) unstamped
) ready
WHERE events.seq = ready.seq`

	updateLastPosition = `
UPDATE event_positions SET last = :last WHERE id = 1`

	selectChanges = selectEvents + `
WHERE project_id = :project_id AND position > :after AND position <= :last
ORDER BY position LIMIT :limit`

	// What a clock wrote that was ahead goes with those behind it: it would keep them all
	// until then.
	selectOldestEvents = `
SELECT position, at FROM events WHERE position IS NOT NULL AND at <= :ahead ORDER BY position LIMIT :limit`

	deleteOldEvents = `
DELETE FROM events WHERE position <= :last`

	updateForgotten = `
UPDATE event_positions SET forgotten = :last WHERE id = 1`
)

// positions is how far events have their positions, and up to where they were
// forgotten.
type positions struct {
	Last, Forgotten int64
}

// StampEvents implements storage.EventStore.
func (s Journal) StampEvents(ctx context.Context, limit int) (int, error) {
	var unstamped []int64
	if err := s.db.List(ctx, &unstamped, selectUnstamped, Args{}); err != nil || len(unstamped) == 0 {
		return 0, AsFault(err)
	}
	var n int64
	err := s.db.Write(ctx, func(tx Tx) error {
		var at positions
		if err := tx.Get(ctx, &at, lockPositions, Args{}); err != nil {
			return err
		}
		var err error
		if n, err = tx.Exec(ctx, stampEvents, Args{"last": at.Last, "limit": limit}); err != nil || n == 0 {
			return err
		}
		_, err = tx.Exec(ctx, updateLastPosition, Args{"last": at.Last + n})
		return err
	})
	return int(n), err
}

// ListChanges implements storage.EventStore. What is behind the last position
// when it begins is left for the next call: a later position may be there before
// an earlier one is looked for.
func (s Journal) ListChanges(ctx context.Context, projectID string, after int64,
	limit int) ([]storage.Event, int64, error) {
	if limit < 1 || limit > storage.MaxPage {
		return nil, 0, fault.Newf(fault.Invalid, "", "A page has 1 to %d rows, not %d.", storage.MaxPage, limit)
	}
	at, err := s.given(ctx, after)
	if err != nil {
		return nil, 0, err
	}
	if err := at.check(after); err != nil {
		return nil, 0, err
	}
	var rows []eventRow
	err = s.db.List(ctx, &rows, selectChanges,
		Args{"project_id": projectID, "after": after, "last": at.Last, "limit": limit})
	if err != nil {
		return nil, 0, AsFault(err)
	}
	// What was swept while it was read would be missing without a trace.
	now, err := s.positions(ctx)
	if err == nil {
		err = now.check(after)
	}
	if err != nil {
		return nil, 0, err
	}
	events := Records(rows, eventRow.record)
	if len(events) == limit {
		return events, events[limit-1].Position, nil
	}
	return events, at.Last, nil
}

// check refuses a position that nobody can go on from.
func (p positions) check(after int64) error {
	switch {
	case after > p.Last || after < 0:
		return fault.New(fault.Gone, storage.ReasonCursorGone, "This position was never given: begin anew.")
	case after > 0 && after < p.Forgotten:
		return fault.New(fault.Gone, storage.ReasonCursorGone, "Events behind this position are no longer kept: begin anew.")
	}
	return nil
}

// given are the positions for who has come to one. Whoever is told of a later one goes on
// from there, so none of them may be another change's after a power cut.
func (s Journal) given(ctx context.Context, after int64) (positions, error) {
	at, err := s.positions(ctx)
	if err == nil && at.Last > after {
		err = s.db.onDisk(ctx, nil)
	}
	return at, err
}

func (s Journal) positions(ctx context.Context) (positions, error) {
	var at positions
	err := s.db.Get(ctx, &at, selectPositions, Args{})
	return at, AsFault(err)
}

// LastPosition implements storage.EventStore.
func (s Journal) LastPosition(ctx context.Context) (int64, error) {
	at, err := s.given(ctx, 0)
	return at.Last, err
}

// FindEpoch implements storage.EventStore.
func (s Journal) FindEpoch(ctx context.Context) (epoch int64, err error) {
	err = s.db.Get(ctx, &epoch, selectEpoch, Args{})
	return epoch, AsFault(err)
}

// SweepEvents implements storage.EventStore.
func (s Journal) SweepEvents(ctx context.Context, now time.Time, limit int) (int, error) {
	before := now.Add(-storage.KeepEvents)
	total := 0
	err := s.db.Write(ctx, func(tx Tx) error {
		var at positions
		if err := tx.Get(ctx, &at, lockPositions, Args{}); err != nil {
			return err
		}
		var oldest []struct {
			Position int64
			At       time.Time
		}
		if err := tx.List(ctx, &oldest, selectOldestEvents,
			Args{"limit": limit, "ahead": now.Add(storage.ClocksApart)}); err != nil {
			return err
		}
		total = 0
		for total < len(oldest) && oldest[total].At.Before(before) {
			total++
		}
		if total == 0 {
			return nil
		}
		last := Args{"last": oldest[total-1].Position}
		if _, err := tx.Exec(ctx, deleteOldEvents, last); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, updateForgotten, last)
		return err
	})
	return total, err
}
