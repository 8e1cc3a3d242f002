package directory

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/tracing"
)

// WalkSoon lets the directory be walked through in a moment, by Run. NotFound.
func (d *Directories) WalkSoon(ctx context.Context, id string, unbraked bool) error {
	if _, err := d.find(ctx, id); err != nil {
		return err
	}
	select {
	case d.orders <- order{id, unbraked}:
	default: // so many wait that one more makes no difference
	}
	return nil
}

// Run walks through directories when their time has come, and when an administrator
// wants it, until the context ends.
func (d *Directories) Run(ctx context.Context) {
	ticker := time.NewTicker(WalkEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := tracing.Round(ctx, "directories", d.WalkAll); err != nil && ctx.Err() == nil {
				d.with.Log.ErrorContext(ctx, "going through the directories failed", "error", err)
			}
		case o := <-d.orders:
			_, _ = d.Walk(ctx, o.id, o.unbraked) // what it came to is kept and logged
		}
	}
}
