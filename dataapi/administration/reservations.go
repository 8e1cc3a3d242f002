package administration

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// ListReservations returns a page of the project's items that somebody has
// reserved now, ordered by id, and the next cursor. None for an absent project.
func (a *Rules) ListReservations(ctx context.Context, projectID string,
	page storage.PageRequest) ([]storage.Item, string, error) {
	return a.store.ListReservations(ctx, projectID, a.ambient.Now(), page)
}

// BreakReservation ends whoever's reservation of the item. NotFound; Conflict
// when there is none.
func (a *Rules) BreakReservation(ctx context.Context, change storage.Change, projectID, itemID string) error {
	_, err := a.store.BreakReservation(ctx, change, projectID, itemID)
	return fault.OrAbsent(err, FieldItem)
}

// RetentionDays is how long what was hidden is kept at least.
const RetentionDays = 30

const (
	maxDays    = 36500
	purgeBatch = 500 // things that one transaction removes
)

// Purge removes for good what has been hidden in the project for that many days
// or longer, and returns how many folders and items that were, each with all
// below it. Invalid for fewer than RetentionDays; NotFound; Locked while a move
// is under way or the project is archived. What was removed before an error
// stays removed.
func (a *Rules) Purge(ctx context.Context, change storage.Change, projectID string, days int) (int, error) {
	if days < RetentionDays || days > maxDays {
		f := fault.Newf(fault.Invalid, "invalid_field",
			"What was hidden is kept for %d days: name a number of days from %[1]d to %d.", RetentionDays, maxDays)
		return 0, f.At(FieldDays)
	}
	before := change.At.Add(-time.Duration(days) * 24 * time.Hour)
	total := 0
	for {
		n, err := a.store.PurgeHidden(ctx, change, projectID, before, purgeBatch)
		total += n
		if err != nil || n == 0 {
			return total, fault.OrAbsent(err, FieldProject)
		}
	}
}
