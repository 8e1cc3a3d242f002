package twins

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type modelRow struct {
	ID  int64
	UID string
	storage.TwinModel
}

type propertyRow struct {
	ID int64
	storage.Property
}

const (
	insertModel = `
INSERT INTO twin_models (uid, facility_id, label, is_default, created_at)
VALUES (:uid, :facility_id, :label, :is_default, :at)
ON CONFLICT DO NOTHING`

	countModels = `
SELECT count(*) FROM twin_models WHERE facility_id = :facility_id`

	selectModels = `
SELECT id, uid, label, is_default AS "default", created_at FROM twin_models
WHERE facility_id = (SELECT id FROM facilities WHERE uid = :uid) ORDER BY is_default DESC, id`

	// The default one when none is named.
	selectModel = `
SELECT id, uid, label, is_default AS "default", created_at FROM twin_models
WHERE facility_id = :facility_id AND (uid = :uid OR (:uid = '' AND is_default))`

	selectProperties = `
SELECT id, family, column_name AS "column", name, type FROM properties
WHERE facility_id = :facility_id ORDER BY family, column_name`

	selectPropertiesOf = `
SELECT id, family, column_name AS "column", name, type FROM properties
WHERE facility_id = (SELECT id FROM facilities WHERE uid = :uid) ORDER BY family, column_name`
)

func (r modelRow) record() storage.TwinModel {
	r.TwinModel.ID = r.UID
	return r.TwinModel
}

func (r propertyRow) record() storage.Property { return r.Property }

func (t tx) addModel(ctx context.Context, facility facilityRow, model storage.TwinModel) error {
	taken := fault.New(fault.Conflict, "", "There is a model with this id already.")
	return t.ExecOne(ctx, taken, insertModel, engine.Args{
		"uid": model.ID, "facility_id": facility.ID, "label": model.Label, "is_default": model.Default, "at": model.CreatedAt,
	})
}

// CreateModel implements storage.FacilityStore.
func (s *Twins) CreateModel(ctx context.Context, change storage.Change, facilityID string,
	model storage.TwinModel) error {
	return s.inFacility(ctx, facilityID, func(tx tx, facility facilityRow) error {
		var n int
		if err := tx.Get(ctx, &n, countModels, engine.Args{"facility_id": facility.ID}); err != nil {
			return err
		}
		if n >= storage.MaxModels {
			return fault.Newf(fault.Invalid, "", "A facility has at most %d models.", storage.MaxModels)
		}
		model.Default = false
		if err := tx.addModel(ctx, facility, model); err != nil {
			return err
		}
		if err := tx.touch(ctx, change, facility); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventTwinModelCreated, facility.event(),
			engine.Detail{"model": model.ID, "label": model.Label})
	})
}

// ListModels implements storage.FacilityStore.
func (s *Twins) ListModels(ctx context.Context, facilityID string) ([]storage.TwinModel, error) {
	rows, err := engine.All[modelRow](ctx, s.db, selectModels, engine.Args{"uid": facilityID})
	return engine.Records(rows, modelRow.record), err
}

// ListProperties implements storage.FacilityStore.
func (s *Twins) ListProperties(ctx context.Context, facilityID string) ([]storage.Property, error) {
	rows, err := engine.All[propertyRow](ctx, s.db, selectPropertiesOf, engine.Args{"uid": facilityID})
	return engine.Records(rows, propertyRow.record), err
}
