package twins

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

type facilityRow struct {
	ID        int64
	UID       string
	NameKey   string
	Mutations int64
	storage.Facility
}

const facilityColumns = `id, uid, hub_id, name, name_key, props, mutations, created_at, modified_at`

const (
	insertFacility = `
INSERT INTO facilities (uid, hub_id, name, name_key, props, mutations, created_at, modified_at)
VALUES (:uid, :hub_id, :name, :name_key, :props, 0, :created_at, :modified_at)
ON CONFLICT DO NOTHING`

	updateFacility = `
UPDATE facilities SET name = :name, name_key = :name_key, props = :props, modified_at = :modified_at WHERE id = :id`

	// Whoever changes something in a facility takes this lock first.
	lockFacility = `
SELECT ` + facilityColumns + `
FROM facilities WHERE uid = :uid
FOR NO KEY UPDATE`

	touchFacility = `
UPDATE facilities SET modified_at = :at, mutations = :mutations WHERE id = :id`

	selectFacilities = `
SELECT ` + facilityColumns + `
FROM facilities WHERE hub_id = :hub_id AND (name_key, uid) > (:name_key, :uid)
ORDER BY name_key, uid LIMIT :limit`

	joinFacilityStanding = `
JOIN hubs h ON h.id = t.hub_id` + hubs.JoinHubStanding + `
LEFT JOIN facility_members tm ON tm.facility_id = t.id AND tm.user_id = :user_id`
)

// Queries of a facility with the caller's standing.
var (
	facilityPlace = `
SELECT ` + engine.Prefixed("h", "hub", hubs.HubColumns) + ", " + engine.Prefixed("t", "facility", facilityColumns) +
		", " + hubs.HubStanding + `,
	coalesce(tm.access, 0) AS access
FROM facilities t` + joinFacilityStanding

	selectFacilityPlace = facilityPlace + `
WHERE t.uid = :uid`

	selectFacilityPlaces = facilityPlace + `
WHERE t.hub_id = :hub_id AND (t.name_key, t.uid) > (:name_key, :uid)
ORDER BY t.name_key, t.uid LIMIT :limit`

	selectModelPlace = facilityPlace + `
WHERE t.id = (SELECT facility_id FROM twin_models WHERE uid = :uid)`
)

func newFacilityRow(f storage.Facility) facilityRow {
	return facilityRow{UID: f.ID, NameKey: textkey.Fold(f.Name), Facility: f}
}

func (r facilityRow) record() storage.Facility {
	r.Facility.ID = r.UID
	return r.Facility
}

// event is the place of an event in the facility.
func (r facilityRow) event() engine.Where { return engine.Where{Subject: r.UID, Hub: r.HubID} }

// inFacility runs an act on a facility that is there, in one transaction, one
// after the other.
func (s *Twins) inFacility(ctx context.Context, uid string, act func(tx, facilityRow) error) error {
	return s.write(ctx, func(tx tx) error {
		var row facilityRow
		if err := tx.Get(ctx, &row, lockFacility, engine.Args{"uid": uid}); err != nil {
			return engine.OrAbsentRow(err, "facility")
		}
		return act(tx, row)
	})
}

// touch notes that something in the facility has changed.
func (t tx) touch(ctx context.Context, change storage.Change, facility facilityRow) error {
	_, err := t.Exec(ctx, touchFacility, engine.Args{"id": facility.ID, "at": change.At, "mutations": facility.Mutations})
	return err
}

// CreateFacility implements storage.FacilityStore.
func (s *Twins) CreateFacility(ctx context.Context, change storage.Change, facility storage.Facility,
	model storage.TwinModel) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.HubMustExist(ctx, facility.HubID); err != nil {
			return err
		}
		taken := fault.New(fault.Conflict, "", "There is a facility with this id already.")
		if err := tx.ExecOne(ctx, taken, insertFacility, newFacilityRow(facility)); err != nil {
			return err
		}
		var row facilityRow
		if err := tx.Get(ctx, &row, lockFacility, engine.Args{"uid": facility.ID}); err != nil {
			return err
		}
		model.Default = true
		if err := tx.addModel(ctx, row, model); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventTwinCreated, row.event(), engine.Detail{"name": facility.Name})
	})
}

// UpdateFacility implements storage.FacilityStore.
func (s *Twins) UpdateFacility(ctx context.Context, change storage.Change, facilityID string,
	edit func(*storage.Facility) error) error {
	return s.inFacility(ctx, facilityID, func(tx tx, was facilityRow) error {
		facility := was.record()
		if err := edit(&facility); err != nil {
			return err
		}
		row := newFacilityRow(facility)
		row.ID, row.ModifiedAt = was.ID, change.At
		if _, err := tx.Exec(ctx, updateFacility, row); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventTwinUpdated, was.event(), engine.Detail{"name": facility.Name})
	})
}

// FindFacility implements storage.FacilityStore.
func (s *Twins) FindFacility(ctx context.Context, caller storage.Caller, facilityID string) (storage.TwinPlace, error) {
	return s.findFacility(ctx, caller, selectFacilityPlace, facilityID)
}

// FindModel implements storage.FacilityStore.
func (s *Twins) FindModel(ctx context.Context, caller storage.Caller, modelID string) (storage.TwinPlace, error) {
	return s.findFacility(ctx, caller, selectModelPlace, modelID)
}

// placeRow is a facility with the caller's standing.
type placeRow struct {
	Hub      storage.Hub `db:"hub"`
	Facility facilityRow `db:"facility"`
	Access   storage.TwinAccess
	hubs.StandingRow
}

func (r placeRow) of(caller storage.Caller) storage.TwinPlace {
	return storage.TwinPlace{Facility: r.Facility.record(), Hub: r.Hub, Standing: r.Of(caller), Member: r.Access}
}

func (s *Twins) findFacility(ctx context.Context, caller storage.Caller, query, uid string) (storage.TwinPlace, error) {
	var row placeRow
	arg := hubs.CallerArgs(caller)
	arg["uid"] = uid
	if err := s.db.Get(ctx, &row, query, arg); err != nil {
		return storage.TwinPlace{}, engine.OrAbsent(err, "facility")
	}
	return row.of(caller), nil
}

// ListFacilities implements storage.FacilityStore.
func (s *Twins) ListFacilities(ctx context.Context, hubID string,
	page storage.PageRequest) ([]storage.Facility, string, error) {
	rows, next, err := pageOfHub(ctx, s.db, page, selectFacilities, engine.Args{"hub_id": hubID},
		func(r facilityRow) facilityRow { return r })
	return engine.Records(rows, facilityRow.record), next, err
}

// ListTwinPlaces implements storage.FacilityStore.
func (s *Twins) ListTwinPlaces(ctx context.Context, caller storage.Caller, hubID string,
	page storage.PageRequest) ([]storage.TwinPlace, string, error) {
	arg := hubs.CallerArgs(caller)
	arg["hub_id"] = hubID
	rows, next, err := pageOfHub(ctx, s.db, page, selectFacilityPlaces, arg,
		func(r placeRow) facilityRow { return r.Facility })
	return engine.Records(rows, func(r placeRow) storage.TwinPlace { return r.of(caller) }), next, err
}

// pageOfHub reads a page of the facilities of a hub.
func pageOfHub[T any](ctx context.Context, db *engine.DB, page storage.PageRequest, query string, arg engine.Args,
	of func(T) facilityRow) (rows []T, next string, err error) {
	arg["uid"], arg["name_key"] = "", ""
	if page.After != "" {
		if arg["uid"], arg["name_key"], err = engine.SplitNameCursor(page.After); err != nil {
			return nil, "", err
		}
	}
	return engine.Page(ctx, db, page, query, arg, func(r T) string { return engine.NameCursor(of(r).UID, of(r).NameKey) })
}
