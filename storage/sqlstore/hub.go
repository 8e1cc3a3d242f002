package sqlstore

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

type hubRow struct {
	ID      string `db:"id"`
	Name    string `db:"name"`
	NameKey string `db:"name_key"`
	Region  string `db:"region"`
	extensionRow
	Active    bool    `db:"active"`
	CreatedAt instant `db:"created_at"`
	UpdatedAt instant `db:"updated_at"`
}

const hubColumns = `id, name, region, extension_type, extension_version, extension_data, active, created_at, updated_at`

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

func newHubRow(h storage.Hub) hubRow {
	return hubRow{
		ID: h.ID, Name: h.Name, NameKey: textkey.Fold(h.Name), Region: h.Region,
		extensionRow: newExtensionRow(h.Extension), Active: h.Active,
		CreatedAt: at(h.CreatedAt), UpdatedAt: at(h.UpdatedAt),
	}
}

func (r hubRow) record() storage.Hub {
	return storage.Hub{
		ID: r.ID, Name: r.Name, Region: r.Region, Extension: r.extensionRow.record(), Active: r.Active,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
}

// CreateHub implements storage.HubStore.
func (s *Store) CreateHub(ctx context.Context, change storage.Change, hub storage.Hub) error {
	row := newHubRow(hub)
	return s.write(ctx, func(tx tx) error {
		taken := fault.New(fault.Conflict, "", "There is a hub with this id already.")
		if err := tx.execOne(ctx, taken, insertHub, row); err != nil {
			return err
		}
		return tx.tell(ctx, change, storage.EventHubCreated, hubEvent(hub.ID), detail{"name": hub.Name})
	})
}

// hubEvent is the place of an event of the hub itself.
func hubEvent(id string) where { return where{subject: id, hub: id} }

// UpdateHub implements storage.HubStore.
func (s *Store) UpdateHub(ctx context.Context, change storage.Change, hub storage.Hub) error {
	row := newHubRow(hub)
	row.UpdatedAt = at(change.At)
	return s.write(ctx, func(tx tx) error {
		if err := tx.execOne(ctx, absent("hub"), updateHub, row); err != nil {
			return err
		}
		return tx.tell(ctx, change, storage.EventHubUpdated, hubEvent(hub.ID), detail{"name": hub.Name})
	})
}

// SetHubActive implements storage.HubStore.
func (s *Store) SetHubActive(ctx context.Context, change storage.Change, hubID string, active bool) error {
	kind := storage.EventHubDeactivated
	if active {
		kind = storage.EventHubActivated
	}
	return s.write(ctx, func(tx tx) error {
		n, err := tx.exec(ctx, updateHubActive, args{"id": hubID, "active": active, "at": at(change.At)})
		if err != nil {
			return err
		}
		if n == 0 {
			return tx.mustExist(ctx, "hub", selectHubID, hubID)
		}
		return tx.tell(ctx, change, kind, hubEvent(hubID), nil)
	})
}

// ListHubs implements storage.HubStore.
func (s *Store) ListHubs(ctx context.Context, caller storage.Caller, query storage.HubQuery) (storage.HubList, error) {
	f := newFilter()
	f.admitted(caller)
	f.in("h.id", query.IDs)
	f.text("h.name", query.Names)
	f.text("h.extension_type", query.ExtensionTypes)
	if !query.Inactive {
		f.add("h.active")
	}
	if query.Administered {
		f.add("EXISTS (SELECT 1 FROM hub_members hm WHERE hm.hub_id = h.id AND hm.user_id = " + f.bind(caller.UserID) + " AND hm.admin)")
	}
	if f.err != nil {
		return storage.HubList{}, f.err
	}
	var rows []hubRow
	text := "SELECT " + hubColumns + "\nFROM hubs h" + f.clause() + "\nORDER BY h.name_key, h.id"
	if err := s.reader.list(ctx, &rows, text, f.args); err != nil {
		return storage.HubList{}, asFault(err)
	}
	list := storage.HubList{Hubs: records(rows, hubRow.record)}
	if caller.ClientID == "" || caller.UserID == "" {
		return list, nil
	}
	err := s.reader.get(ctx, &list.Elsewhere, selectElsewhere, callerArgs(caller))
	return list, asFault(err)
}

// admitted keeps hubs h that are open to the caller: what Standing.Admitted
// says of one, said of many.
func (f *filter) admitted(caller storage.Caller) {
	arg := callerArgs(caller)
	f.args["client_id"], f.args["user_id"], f.args["on_behalf"] = arg["client_id"], arg["user_id"], arg["on_behalf"]
	if caller.ClientID != "" {
		f.add("EXISTS (SELECT 1 FROM app_access a WHERE a.hub_id = h.id AND a.client_id = :client_id AND " + actsFor + ")")
	}
	if caller.UserID != "" {
		f.add("EXISTS (SELECT 1 FROM hub_members hm WHERE hm.hub_id = h.id AND hm.user_id = :user_id)")
		f.add(userEnabled)
	}
}

// FindHub implements storage.HubStore.
func (s *Store) FindHub(ctx context.Context, caller storage.Caller, hubID string) (storage.Hub, storage.Standing, error) {
	var row struct {
		Hub hubRow `db:"hub"`
		standingRow
	}
	arg := callerArgs(caller)
	arg["hub_id"] = hubID
	err := s.reader.get(ctx, &row, selectHubPlace, arg)
	return row.Hub.record(), row.standing(caller), orAbsent(err, "hub")
}
