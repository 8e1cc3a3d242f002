package sqlstore

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

type facilityRow struct {
	ID         int64   `db:"id"`
	UID        string  `db:"uid"`
	HubID      string  `db:"hub_id"`
	Name       string  `db:"name"`
	NameKey    string  `db:"name_key"`
	Props      string  `db:"props"`
	Mutations  int64   `db:"mutations"`
	CreatedAt  instant `db:"created_at"`
	ModifiedAt instant `db:"modified_at"`
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
FROM facilities WHERE hub_id = :hub_id AND (name_key > :name_key OR (name_key = :name_key AND uid > :uid))
ORDER BY name_key, uid LIMIT :limit`

	joinFacilityStanding = `
JOIN hubs h ON h.id = t.hub_id` + joinHubStanding + `
LEFT JOIN facility_members tm ON tm.facility_id = t.id AND tm.user_id = :user_id`
)

// Queries of a facility with the caller's standing.
var (
	facilityPlace = `
SELECT ` + prefixed("h", "hub", hubColumns) + ", " + prefixed("t", "facility", facilityColumns) + ", " + hubStanding + `,
	coalesce(tm.access, 0) AS access
FROM facilities t` + joinFacilityStanding

	selectFacilityPlace = facilityPlace + `
WHERE t.uid = :uid`

	selectModelPlace = facilityPlace + `
WHERE t.id = (SELECT facility_id FROM twin_models WHERE uid = :uid)`
)

func newFacilityRow(f storage.Facility) facilityRow {
	return facilityRow{
		UID: f.ID, HubID: f.HubID, Name: f.Name, NameKey: textkey.Fold(f.Name), Props: f.Props,
		CreatedAt: at(f.CreatedAt), ModifiedAt: at(f.ModifiedAt),
	}
}

func (r facilityRow) record() storage.Facility {
	return storage.Facility{
		ID: r.UID, HubID: r.HubID, Name: r.Name, Props: r.Props, CreatedAt: r.CreatedAt.Time, ModifiedAt: r.ModifiedAt.Time,
	}
}

// event is the place of an event in the facility.
func (r facilityRow) event() where { return where{subject: r.UID, hub: r.HubID} }

// inFacility runs an act on a facility that is there, in one transaction, one
// after the other.
func (s *Store) inFacility(ctx context.Context, uid string, act func(tx, facilityRow) error) error {
	return s.write(ctx, func(tx tx) error {
		var row facilityRow
		if err := tx.get(ctx, &row, lockFacility, args{"uid": uid}); err != nil {
			return orAbsentRow(err, "facility")
		}
		return act(tx, row)
	})
}

// touch notes that something in the facility has changed.
func (t tx) touch(ctx context.Context, change storage.Change, facility facilityRow) error {
	_, err := t.exec(ctx, touchFacility, args{"id": facility.ID, "at": at(change.At), "mutations": facility.Mutations})
	return err
}

// CreateFacility implements storage.FacilityStore.
func (s *Store) CreateFacility(ctx context.Context, change storage.Change, facility storage.Facility, model storage.TwinModel) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.mustExist(ctx, "hub", selectHubID, facility.HubID); err != nil {
			return err
		}
		taken := fault.New(fault.Conflict, "", "There is a facility with this id already.")
		if err := tx.execOne(ctx, taken, insertFacility, newFacilityRow(facility)); err != nil {
			return err
		}
		var row facilityRow
		if err := tx.get(ctx, &row, lockFacility, args{"uid": facility.ID}); err != nil {
			return err
		}
		model.Default = true
		if err := tx.addModel(ctx, row, model); err != nil {
			return err
		}
		return tx.tell(ctx, change, storage.EventTwinCreated, row.event(), detail{"name": facility.Name})
	})
}

// UpdateFacility implements storage.FacilityStore.
func (s *Store) UpdateFacility(ctx context.Context, change storage.Change, facility storage.Facility) error {
	return s.inFacility(ctx, facility.ID, func(tx tx, was facilityRow) error {
		row := newFacilityRow(facility)
		row.ID, row.ModifiedAt = was.ID, at(change.At)
		if _, err := tx.exec(ctx, updateFacility, row); err != nil {
			return err
		}
		return tx.tell(ctx, change, storage.EventTwinUpdated, was.event(), detail{"name": facility.Name})
	})
}

// FindFacility implements storage.FacilityStore.
func (s *Store) FindFacility(ctx context.Context, caller storage.Caller, facilityID string) (storage.TwinPlace, error) {
	return s.findFacility(ctx, caller, selectFacilityPlace, facilityID)
}

// FindModel implements storage.FacilityStore.
func (s *Store) FindModel(ctx context.Context, caller storage.Caller, modelID string) (storage.TwinPlace, error) {
	return s.findFacility(ctx, caller, selectModelPlace, modelID)
}

func (s *Store) findFacility(ctx context.Context, caller storage.Caller, query, uid string) (storage.TwinPlace, error) {
	var row struct {
		Hub      hubRow      `db:"hub"`
		Facility facilityRow `db:"facility"`
		Access   int64       `db:"access"`
		standingRow
	}
	arg := callerArgs(caller)
	arg["uid"] = uid
	if err := s.reader.get(ctx, &row, query, arg); err != nil {
		return storage.TwinPlace{}, orAbsent(err, "facility")
	}
	return storage.TwinPlace{
		Facility: row.Facility.record(), Hub: row.Hub.record(), Standing: row.standing(caller), Member: storage.TwinAccess(row.Access),
	}, nil
}

// ListFacilities implements storage.FacilityStore.
func (s *Store) ListFacilities(ctx context.Context, hubID string, page storage.PageRequest) ([]storage.Facility, string, error) {
	limit, err := pageLimit(page)
	if err != nil {
		return nil, "", err
	}
	arg := args{"hub_id": hubID, "uid": "", "name_key": "", "limit": limit + 1}
	if page.After != "" {
		if arg["uid"], arg["name_key"], err = splitNameCursor(page.After); err != nil {
			return nil, "", err
		}
	}
	var rows []facilityRow
	if err := s.reader.list(ctx, &rows, selectFacilities, arg); err != nil {
		return nil, "", asFault(err)
	}
	rows, next := cutPage(rows, limit, func(r facilityRow) string { return nameCursor(r.UID, r.NameKey) })
	return records(rows, facilityRow.record), next, nil
}
