package hubs

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// HubRow is a hub.
type HubRow struct {
	ID      string `db:"id"`
	Name    string `db:"name"`
	NameKey string `db:"name_key"`
	Region  string `db:"region"`
	ExtensionRow
	Active    bool           `db:"active"`
	CreatedAt engine.Instant `db:"created_at"`
	UpdatedAt engine.Instant `db:"updated_at"`
}

// HubColumns are those of a HubRow.
const HubColumns = `id, name, region, extension_type, extension_version, extension_data, active, created_at, updated_at`

const (
	insertHub = `
INSERT INTO hubs (id, name, name_key, region, extension_type, extension_version, extension_data, active, created_at, updated_at)
VALUES (:id, :name, :name_key, :region, :extension_type, :extension_version, :extension_data, :active, :created_at, :updated_at)
ON CONFLICT DO NOTHING`

	updateHub = `
UPDATE hubs SET name = :name, name_key = :name_key, region = :region, extension_type = :extension_type,
	extension_version = :extension_version, extension_data = :extension_data, updated_at = :updated_at
WHERE id = :id`

	updateHubActive = `
UPDATE hubs SET active = :active, updated_at = :at WHERE id = :id AND active <> :active`

	selectHubID = `
SELECT id FROM hubs WHERE id = :id`

	// Whoever is a member where the app has no access, or none for them.
	selectElsewhere = `
SELECT EXISTS (
	SELECT 1 FROM hub_members hm JOIN hubs h ON h.id = hm.hub_id AND h.active
	LEFT JOIN app_access a ON a.hub_id = h.id AND a.client_id = :client_id
	WHERE hm.user_id = :user_id AND (a.hub_id IS NULL OR NOT ` + actsFor + `))`
)

func newHubRow(h storage.Hub) HubRow {
	return HubRow{
		ID: h.ID, Name: h.Name, NameKey: textkey.Fold(h.Name), Region: h.Region,
		ExtensionRow: NewExtensionRow(h.Extension), Active: h.Active,
		CreatedAt: engine.At(h.CreatedAt), UpdatedAt: engine.At(h.UpdatedAt),
	}
}

// Record is the row as the contract has it.
func (r HubRow) Record() storage.Hub {
	return storage.Hub{
		ID: r.ID, Name: r.Name, Region: r.Region, Extension: r.ExtensionRow.Record(), Active: r.Active,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
}

var selectHubPlace = `
SELECT ` + engine.Prefixed("h", "hub", HubColumns) + `, ` + HubStanding + `
FROM hubs h` + JoinHubStanding + `
WHERE h.id = :hub_id`

// HubMustExist returns the fault for an absent hub.
func (t Tx) HubMustExist(ctx context.Context, id string) error {
	return t.MustExist(ctx, "hub", selectHubID, id)
}

// CreateHub implements storage.HubStore.
func (s *Hubs) CreateHub(ctx context.Context, change storage.Change, hub storage.Hub) error {
	row := newHubRow(hub)
	return s.write(ctx, func(tx Tx) error {
		taken := fault.New(fault.Conflict, "", "There is a hub with this id already.")
		if err := tx.ExecOne(ctx, taken, insertHub, row); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventHubCreated, hubEvent(hub.ID), engine.Detail{"name": hub.Name})
	})
}

// hubEvent is the place of an event of the hub itself.
func hubEvent(id string) engine.Where { return engine.Where{Subject: id, Hub: id} }

// UpdateHub implements storage.HubStore.
func (s *Hubs) UpdateHub(ctx context.Context, change storage.Change, hub storage.Hub) error {
	row := newHubRow(hub)
	row.UpdatedAt = engine.At(change.At)
	return s.write(ctx, func(tx Tx) error {
		if err := tx.ExecOne(ctx, engine.Absent("hub"), updateHub, row); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventHubUpdated, hubEvent(hub.ID), engine.Detail{"name": hub.Name})
	})
}

// SetHubActive implements storage.HubStore.
func (s *Hubs) SetHubActive(ctx context.Context, change storage.Change, hubID string, active bool) error {
	kind := storage.EventHubDeactivated
	if active {
		kind = storage.EventHubActivated
	}
	return s.write(ctx, func(tx Tx) error {
		n, err := tx.Exec(ctx, updateHubActive, engine.Args{"id": hubID, "active": active, "at": engine.At(change.At)})
		if err != nil {
			return err
		}
		if n == 0 {
			return tx.HubMustExist(ctx, hubID)
		}
		return tx.Tell(ctx, change, kind, hubEvent(hubID), nil)
	})
}

// ListHubs implements storage.HubStore.
func (s *Hubs) ListHubs(ctx context.Context, caller storage.Caller, query storage.HubQuery) (storage.HubList, error) {
	f := engine.NewFilter()
	admitted(f, caller)
	f.In("h.id", query.IDs)
	f.Text("h.name", query.Names)
	f.Text("h.extension_type", query.ExtensionTypes)
	if !query.Inactive {
		f.Add("h.active")
	}
	if query.Administered {
		f.Add("EXISTS (SELECT 1 FROM hub_members hm WHERE hm.hub_id = h.id AND hm.user_id = " + f.Bind(caller.UserID) + " AND hm.admin)")
	}
	if f.Err != nil {
		return storage.HubList{}, f.Err
	}
	var rows []HubRow
	text := "SELECT " + HubColumns + "\nFROM hubs h" + f.Clause() + "\nORDER BY h.name_key, h.id"
	if err := s.db.List(ctx, &rows, text, f.Args); err != nil {
		return storage.HubList{}, engine.AsFault(err)
	}
	list := storage.HubList{Hubs: engine.Records(rows, HubRow.Record)}
	if caller.ClientID == "" || caller.UserID == "" {
		return list, nil
	}
	err := s.db.Get(ctx, &list.Elsewhere, selectElsewhere, CallerArgs(caller))
	return list, engine.AsFault(err)
}

// admitted keeps hubs h that are open to the caller: what Standing.Admitted
// says of one, said of many.
func admitted(f *engine.Filter, caller storage.Caller) {
	arg := CallerArgs(caller)
	f.Args["client_id"], f.Args["user_id"], f.Args["on_behalf"] = arg["client_id"], arg["user_id"], arg["on_behalf"]
	if caller.ClientID != "" {
		f.Add("EXISTS (SELECT 1 FROM app_access a WHERE a.hub_id = h.id AND a.client_id = :client_id AND " + actsFor + ")")
	}
	if caller.UserID != "" {
		f.Add("EXISTS (SELECT 1 FROM hub_members hm WHERE hm.hub_id = h.id AND hm.user_id = :user_id)")
		f.Add(userEnabled)
	}
}

// FindHub implements storage.HubStore.
func (s *Hubs) FindHub(ctx context.Context, caller storage.Caller, hubID string) (storage.Hub, storage.Standing, error) {
	var row struct {
		Hub HubRow `db:"hub"`
		StandingRow
	}
	arg := CallerArgs(caller)
	arg["hub_id"] = hubID
	err := s.db.Get(ctx, &row, selectHubPlace, arg)
	return row.Hub.Record(), row.Standing(caller), engine.OrAbsent(err, "hub")
}
