package administration

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Fields of limits.
const (
	FieldQuota     = "quota"
	FieldMaxObject = "max_file"
)

// FindLimits returns how much the project may store. NotFound.
func (a *Rules) FindLimits(ctx context.Context, projectID string) (storage.Limits, error) {
	if _, err := a.FindProject(ctx, projectID); err != nil {
		return storage.Limits{}, err
	}
	return a.store.FindLimits(ctx, projectID)
}

// SetLimits says how much the project may store, in bytes; 0: no limit. What is
// stored already stays, also beyond them. NotFound; Invalid with the field.
func (a *Rules) SetLimits(ctx context.Context, change storage.Change, projectID string,
	limits storage.Limits) (storage.Limits, error) {
	for field, bytes := range map[string]int64{FieldQuota: limits.Quota, FieldMaxObject: limits.MaxObject} {
		if bytes < 0 {
			return storage.Limits{}, fault.New(fault.Invalid, "invalid_field",
				"A limit is a number of bytes, 0 for none.").At(field)
		}
	}
	if err := a.store.SetLimits(ctx, change, projectID, limits); err != nil {
		return storage.Limits{}, fault.OrAbsent(err, FieldProject)
	}
	return a.store.FindLimits(ctx, projectID)
}
