package hubs

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// groupRow is a group with what tells it from others.
type groupRow struct {
	storage.Group
	NameKey string
}

const (
	insertGroup = `
INSERT INTO hub_groups (id, hub_id, name, name_key, created_at)
VALUES (:id, :hub_id, :name, :name_key, :created_at)
ON CONFLICT DO NOTHING`

	selectGroupID = `
SELECT id FROM hub_groups WHERE id = :id`

	// Another group's name changes no row.
	renameGroup = `
UPDATE hub_groups SET name = :name, name_key = :name_key
WHERE id = :id AND hub_id = :hub_id AND name <> :name AND NOT EXISTS (
	SELECT 1 FROM hub_groups o WHERE o.hub_id = :hub_id AND o.id <> :id AND o.name_key = :name_key)`

	selectGroup = `
SELECT id, hub_id, name, created_at FROM hub_groups WHERE id = :id AND hub_id = :hub_id`

	deleteGroup = `
DELETE FROM hub_groups WHERE id = :id AND hub_id = :hub_id`

	deleteGroupGrants = `
DELETE FROM folder_grants WHERE grantee = :id`

	selectGroups = `
SELECT id, hub_id, name, created_at FROM hub_groups WHERE hub_id = :hub_id ORDER BY name_key`

	findGroup = `
SELECT id, hub_id, name, created_at FROM hub_groups
WHERE hub_id = :hub_id AND (id = :id OR name_key = :name_key AND name = :id)
ORDER BY id <> :id LIMIT 1`

	// The group can't be deleted while the row is locked.
	lockGroup = `
SELECT id FROM hub_groups WHERE id = :id AND hub_id = :hub_id
FOR KEY SHARE`

	insertGroupMember = `
INSERT INTO group_members (group_id, user_id) VALUES (:id, :user_id)
ON CONFLICT DO NOTHING`

	deleteGroupMember = `
DELETE FROM group_members WHERE user_id = :user_id
	AND group_id = (SELECT id FROM hub_groups WHERE id = :id AND hub_id = :hub_id)`

	selectGroupMembers = `
SELECT m.user_id FROM group_members m JOIN hub_groups g ON g.id = m.group_id
WHERE g.id = :id AND g.hub_id = :hub_id ORDER BY m.user_id`
)

// CreateGroup implements storage.GroupStore.
func (s *Hubs) CreateGroup(ctx context.Context, change storage.Change, group storage.Group) error {
	row := groupRow{group, textkey.Fold(group.Name)}
	return s.write(ctx, func(tx Tx) error {
		if err := tx.HubMustExist(ctx, group.HubID); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, insertGroup, row)
		if err != nil {
			return err
		}
		if n == 0 {
			return tx.takenGroup(ctx, group.ID)
		}
		return tx.Tell(ctx, change, storage.EventGroupCreated, inHub(group.HubID, group.ID),
			engine.Detail{"name": group.Name})
	})
}

func (t Tx) takenGroup(ctx context.Context, id string) error {
	idTaken, err := t.Lock(ctx, selectGroupID, id)
	if err != nil {
		return err
	}
	if idTaken {
		return fault.New(fault.Conflict, "", "There is a group with this id already.")
	}
	return fault.New(fault.Conflict, storage.ReasonNameTaken, "A group of the hub has this name.")
}

// RenameGroup implements storage.GroupStore.
func (s *Hubs) RenameGroup(ctx context.Context, change storage.Change, hubID, groupID, name string) error {
	row := groupRow{storage.Group{ID: groupID, HubID: hubID, Name: name}, textkey.Fold(name)}
	return s.write(ctx, func(tx Tx) error {
		n, err := tx.Exec(ctx, renameGroup, row)
		if err != nil {
			return err
		}
		if n > 0 {
			return tx.Tell(ctx, change, storage.EventGroupRenamed, inHub(hubID, groupID), engine.Detail{"name": name})
		}
		var now storage.Group
		if err := tx.Get(ctx, &now, selectGroup, row); err != nil || now.Name == name {
			return engine.OrAbsentRow(err, "group")
		}
		return fault.New(fault.Conflict, storage.ReasonNameTaken, "A group of the hub has this name.")
	})
}

// DeleteGroup implements storage.GroupStore.
func (s *Hubs) DeleteGroup(ctx context.Context, change storage.Change, hubID, groupID string) error {
	return s.write(ctx, func(tx Tx) error {
		group := engine.Args{"id": groupID, "hub_id": hubID}
		if err := tx.ExecOne(ctx, engine.Absent("group"), deleteGroup, group); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteGroupGrants, group); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventGroupDeleted, inHub(hubID, groupID), nil)
	})
}

// ListGroups implements storage.GroupStore.
func (s *Hubs) ListGroups(ctx context.Context, hubID string) ([]storage.Group, error) {
	return engine.All[storage.Group](ctx, s.db, selectGroups, engine.Args{"hub_id": hubID})
}

// FindGroup implements storage.GroupStore.
func (s *Hubs) FindGroup(ctx context.Context, hubID, handle string) (storage.Group, error) {
	groups, err := engine.All[storage.Group](ctx, s.db, findGroup,
		engine.Args{"hub_id": hubID, "id": handle, "name_key": textkey.Fold(handle)})
	if err == nil && len(groups) == 0 {
		err = absentGroup()
	}
	if err != nil {
		return storage.Group{}, err
	}
	return groups[0], nil
}

func absentGroup() error {
	return fault.New(fault.NotFound, storage.ReasonGroupAbsent, "There is no such group in the hub.")
}

// Group makes sure that the hub has the group.
func (t Tx) Group(ctx context.Context, hubID, groupID string) error {
	var ids []string
	err := t.List(ctx, &ids, lockGroup, engine.Args{"id": groupID, "hub_id": hubID})
	if err == nil && len(ids) == 0 {
		return absentGroup()
	}
	return err
}

// AddGroupMember implements storage.GroupStore.
func (s *Hubs) AddGroupMember(ctx context.Context, change storage.Change, hubID, groupID, userID string) error {
	return s.write(ctx, func(tx Tx) error {
		if err := tx.Group(ctx, hubID, groupID); err != nil {
			return err
		}
		if err := tx.JoinHub(ctx, change, hubID, userID); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, insertGroupMember, engine.Args{"id": groupID, "user_id": userID})
		if err != nil || n == 0 {
			return err
		}
		return tx.Tell(ctx, change, storage.EventGroupJoined, inHub(hubID, groupID), engine.Detail{"user": userID})
	})
}

// RemoveGroupMember implements storage.GroupStore.
func (s *Hubs) RemoveGroupMember(ctx context.Context, change storage.Change, hubID, groupID, userID string) error {
	return s.write(ctx, func(tx Tx) error {
		member := engine.Args{"id": groupID, "hub_id": hubID, "user_id": userID}
		if err := tx.ExecOne(ctx, engine.Absent("member"), deleteGroupMember, member); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventGroupLeft, inHub(hubID, groupID), engine.Detail{"user": userID})
	})
}

// ListGroupMembers implements storage.GroupStore.
func (s *Hubs) ListGroupMembers(ctx context.Context, hubID, groupID string) ([]string, error) {
	return engine.All[string](ctx, s.db, selectGroupMembers, engine.Args{"id": groupID, "hub_id": hubID})
}
