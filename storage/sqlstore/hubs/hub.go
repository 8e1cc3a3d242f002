package hubs

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// HubColumns are those of a hub.
const HubColumns = `id, active, created_at, ` + ownHubColumns

// What is other when a hub is changed.
const ownHubColumns = `name, region, extension_type, extension_version, extension_data, updated_at`

const (
	updateHubActive = `
UPDATE hubs SET active = :active, updated_at = :at WHERE id = :id AND active <> :active`

	selectHubID = `
SELECT id FROM hubs WHERE id = :id`

	lockHub = `
SELECT ` + HubColumns + ` FROM hubs WHERE id = :id
FOR NO KEY UPDATE`

	// Whoever is a member where the app has no access, or none for them.
	selectElsewhere = `
SELECT EXISTS (
	SELECT 1 FROM hub_members hm JOIN hubs h ON h.id = hm.hub_id AND h.active
	LEFT JOIN app_access a ON a.hub_id = h.id AND a.client_id = :client_id
	WHERE hm.user_id = :user_id AND (a.hub_id IS NULL OR NOT ` + actsFor + `))`
)

// hubRow is a hub with what it is sorted by.
type hubRow struct {
	storage.Hub
	NameKey string
}

var (
	insertHub = engine.Insert("hubs", HubColumns+", name_key") + `
ON CONFLICT DO NOTHING`

	updateHub = `
UPDATE hubs SET ` + engine.Assign(ownHubColumns+", name_key") + `
WHERE id = :id`

	selectHubPlace = `
SELECT ` + engine.Prefixed("h", "hub", HubColumns) + `, ` + HubStanding + `
FROM hubs h` + JoinHubStanding + `
WHERE h.id = :hub_id`
)

// HubMustExist returns the fault for an absent hub.
func (t Tx) HubMustExist(ctx context.Context, id string) error {
	return t.MustExist(ctx, "hub", selectHubID, id)
}

// CreateHub implements storage.HubStore.
func (s *Hubs) CreateHub(ctx context.Context, change storage.Change, hub storage.Hub) error {
	row := hubRow{hub, textkey.Fold(hub.Name)}
	return s.write(ctx, func(tx Tx) error {
		taken := fault.New(fault.Conflict, "", "There is a hub with this id already.")
		if err := tx.ExecOne(ctx, taken, insertHub, row); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventHubCreated, inHub(hub.ID, hub.ID), engine.Detail{"name": hub.Name})
	})
}

// inHub is the place of an event of a thing in a hub, or of the hub itself.
func inHub(id, subject string) engine.Where { return engine.Where{Subject: subject, Hub: id} }

// UpdateHub implements storage.HubStore.
func (s *Hubs) UpdateHub(ctx context.Context, change storage.Change, hubID string,
	edit func(*storage.Hub) error) error {
	return s.write(ctx, func(tx Tx) error {
		var hub storage.Hub
		if err := tx.Get(ctx, &hub, lockHub, engine.Args{"id": hubID}); err != nil {
			return engine.OrAbsentRow(err, "hub")
		}
		if err := edit(&hub); err != nil {
			return err
		}
		hub.UpdatedAt = change.At
		if _, err := tx.Exec(ctx, updateHub, hubRow{hub, textkey.Fold(hub.Name)}); err != nil {
			return err
		}
		err := tx.Tell(ctx, change, storage.EventHubUpdated, inHub(hub.ID, hub.ID), engine.Detail{"name": hub.Name})
		if err != nil {
			return err
		}
		return tx.switchHub(ctx, change, hub.ID, hub.Active)
	})
}

// SetHubActive implements storage.HubStore.
func (s *Hubs) SetHubActive(ctx context.Context, change storage.Change, hubID string, active bool) error {
	return s.write(ctx, func(tx Tx) error { return tx.switchHub(ctx, change, hubID, active) })
}

// switchHub activates or deactivates a hub, unless it is so already.
func (t Tx) switchHub(ctx context.Context, change storage.Change, hubID string, active bool) error {
	kind := storage.EventHubDeactivated
	if active {
		kind = storage.EventHubActivated
	}
	n, err := t.Exec(ctx, updateHubActive, engine.Args{"id": hubID, "active": active, "at": change.At})
	if err != nil {
		return err
	}
	if n == 0 {
		return t.HubMustExist(ctx, hubID)
	}
	return t.Tell(ctx, change, kind, inHub(hubID, hubID), nil)
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
		f.Add("EXISTS (SELECT 1 FROM hub_members hm WHERE hm.hub_id = h.id AND hm.user_id = " +
			f.Bind(caller.UserID) + " AND hm.admin)")
	}
	var list storage.HubList
	var err error
	list.Hubs, err = engine.Filtered[storage.Hub](ctx, s.db, "SELECT "+HubColumns+"\nFROM hubs h"+f.Clause()+
		"\nORDER BY h.name_key, h.id", f)
	if err != nil || caller.ClientID == "" || caller.UserID == "" {
		return list, err
	}
	err = s.db.Get(ctx, &list.Elsewhere, selectElsewhere, CallerArgs(caller))
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
func (s *Hubs) FindHub(ctx context.Context, caller storage.Caller,
	hubID string) (storage.Hub, storage.Standing, error) {
	var row struct {
		Hub storage.Hub `db:"hub"`
		StandingRow
	}
	arg := CallerArgs(caller)
	arg["hub_id"] = hubID
	err := s.db.Get(ctx, &row, selectHubPlace, arg)
	return row.Hub, row.Of(caller), engine.OrAbsent(err, "hub")
}
