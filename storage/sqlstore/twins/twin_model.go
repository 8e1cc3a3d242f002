package twins

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type modelRow struct {
	ID        int64          `db:"id"`
	UID       string         `db:"uid"`
	Label     string         `db:"label"`
	Default   bool           `db:"is_default"`
	CreatedAt engine.Instant `db:"created_at"`
}

type propertyRow struct {
	ID     int64  `db:"id"`
	Family string `db:"family"`
	Column string `db:"column_name"`
	Name   string `db:"name"`
	Type   string `db:"type"`
}

const (
	insertModel = `
INSERT INTO twin_models (uid, facility_id, label, is_default, created_at)
VALUES (:uid, :facility_id, :label, :is_default, :at)
ON CONFLICT DO NOTHING`

	countModels = `
SELECT count(*) FROM twin_models WHERE facility_id = :facility_id`

	selectModels = `
SELECT id, uid, label, is_default, created_at FROM twin_models
WHERE facility_id = (SELECT id FROM facilities WHERE uid = :uid) ORDER BY is_default DESC, id`

	// The default one when none is named.
	selectModel = `
SELECT id, uid, label, is_default, created_at FROM twin_models
WHERE facility_id = :facility_id AND (uid = :uid OR (:uid = '' AND is_default))`

	selectProperties = `
SELECT id, family, column_name, name, type FROM properties
WHERE facility_id = :facility_id ORDER BY family, column_name`

	selectPropertiesOf = `
SELECT id, family, column_name, name, type FROM properties
WHERE facility_id = (SELECT id FROM facilities WHERE uid = :uid) ORDER BY family, column_name`
)

func (r modelRow) record() storage.TwinModel {
	return storage.TwinModel{ID: r.UID, Label: r.Label, Default: r.Default, CreatedAt: r.CreatedAt.Time}
}

func (r propertyRow) record() storage.Property {
	return storage.Property{Family: r.Family, Column: r.Column, Name: r.Name, Type: storage.PropertyType(r.Type)}
}

func (t tx) addModel(ctx context.Context, facility facilityRow, model storage.TwinModel) error {
	taken := fault.New(fault.Conflict, "", "There is a model with this id already.")
	return t.ExecOne(ctx, taken, insertModel, engine.Args{
		"uid": model.ID, "facility_id": facility.ID, "label": model.Label, "is_default": model.Default, "at": engine.At(model.CreatedAt),
	})
}

// CreateModel implements storage.FacilityStore.
func (s *Twins) CreateModel(ctx context.Context, change storage.Change, facilityID string, model storage.TwinModel) error {
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
		return tx.Tell(ctx, change, storage.EventTwinModelCreated, facility.event(), engine.Detail{"model": model.ID, "label": model.Label})
	})
}

// ListModels implements storage.FacilityStore.
func (s *Twins) ListModels(ctx context.Context, facilityID string) ([]storage.TwinModel, error) {
	var rows []modelRow
	err := s.db.List(ctx, &rows, selectModels, engine.Args{"uid": facilityID})
	return engine.Records(rows, modelRow.record), engine.AsFault(err)
}

// ListProperties implements storage.FacilityStore.
func (s *Twins) ListProperties(ctx context.Context, facilityID string) ([]storage.Property, error) {
	var rows []propertyRow
	err := s.db.List(ctx, &rows, selectPropertiesOf, engine.Args{"uid": facilityID})
	return engine.Records(rows, propertyRow.record), engine.AsFault(err)
}
