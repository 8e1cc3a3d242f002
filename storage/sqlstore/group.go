package sqlstore

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

type groupRow struct {
	ID        string  `db:"id"`
	HubID     string  `db:"hub_id"`
	Name      string  `db:"name"`
	NameKey   string  `db:"name_key"`
	CreatedAt instant `db:"created_at"`
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

func (r groupRow) record() storage.Group {
	return storage.Group{ID: r.ID, HubID: r.HubID, Name: r.Name, CreatedAt: r.CreatedAt.Time}
}

// CreateGroup implements storage.GroupStore.
func (s *Store) CreateGroup(ctx context.Context, change storage.Change, group storage.Group) error {
	row := groupRow{
		ID: group.ID, HubID: group.HubID, Name: group.Name, NameKey: textkey.Fold(group.Name), CreatedAt: at(group.CreatedAt),
	}
	return s.write(ctx, func(tx tx) error {
		if err := tx.mustExist(ctx, "hub", selectHubID, group.HubID); err != nil {
			return err
		}
		n, err := tx.exec(ctx, insertGroup, row)
		if err != nil {
			return err
		}
		if n == 0 {
			return tx.takenGroup(ctx, group.ID)
		}
		return tx.tell(ctx, change, storage.EventGroupCreated, where{subject: group.ID, hub: group.HubID}, detail{"name": group.Name})
	})
}

func (t tx) takenGroup(ctx context.Context, id string) error {
	idTaken, err := t.lock(ctx, selectGroupID, id)
	if err != nil {
		return err
	}
	if idTaken {
		return fault.New(fault.Conflict, "", "There is a group with this id already.")
	}
	return fault.New(fault.Conflict, storage.ReasonNameTaken, "A group of the hub has this name.")
}

// RenameGroup implements storage.GroupStore.
func (s *Store) RenameGroup(ctx context.Context, change storage.Change, hubID, groupID, name string) error {
	row := groupRow{ID: groupID, HubID: hubID, Name: name, NameKey: textkey.Fold(name)}
	return s.write(ctx, func(tx tx) error {
		n, err := tx.exec(ctx, renameGroup, row)
		if err != nil {
			return err
		}
		if n > 0 {
			return tx.tell(ctx, change, storage.EventGroupRenamed, where{subject: groupID, hub: hubID}, detail{"name": name})
		}
		var now groupRow
		if err := tx.get(ctx, &now, selectGroup, row); err != nil || now.Name == name {
			return orAbsentRow(err, "group")
		}
		return fault.New(fault.Conflict, storage.ReasonNameTaken, "A group of the hub has this name.")
	})
}

// DeleteGroup implements storage.GroupStore.
func (s *Store) DeleteGroup(ctx context.Context, change storage.Change, hubID, groupID string) error {
	return s.write(ctx, func(tx tx) error {
		group := args{"id": groupID, "hub_id": hubID}
		if err := tx.execOne(ctx, absent("group"), deleteGroup, group); err != nil {
			return err
		}
		if _, err := tx.exec(ctx, deleteGroupGrants, group); err != nil {
			return err
		}
		return tx.tell(ctx, change, storage.EventGroupDeleted, where{subject: groupID, hub: hubID}, nil)
	})
}

// ListGroups implements storage.GroupStore.
func (s *Store) ListGroups(ctx context.Context, hubID string) ([]storage.Group, error) {
	var rows []groupRow
	err := s.reader.list(ctx, &rows, selectGroups, args{"hub_id": hubID})
	return records(rows, groupRow.record), asFault(err)
}

// group makes sure that the hub has the group.
func (t tx) group(ctx context.Context, hubID, groupID string) error {
	var ids []string
	err := t.list(ctx, &ids, lockGroup, args{"id": groupID, "hub_id": hubID})
	if err == nil && len(ids) == 0 {
		return fault.New(fault.NotFound, storage.ReasonGroupAbsent, "There is no such group in the hub.")
	}
	return err
}

// AddGroupMember implements storage.GroupStore.
func (s *Store) AddGroupMember(ctx context.Context, change storage.Change, hubID, groupID, userID string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.group(ctx, hubID, groupID); err != nil {
			return err
		}
		if err := tx.joinHub(ctx, change, hubID, userID); err != nil {
			return err
		}
		n, err := tx.exec(ctx, insertGroupMember, args{"id": groupID, "user_id": userID})
		if err != nil || n == 0 {
			return err
		}
		return tx.tell(ctx, change, storage.EventGroupJoined, where{subject: groupID, hub: hubID}, detail{"user": userID})
	})
}

// RemoveGroupMember implements storage.GroupStore.
func (s *Store) RemoveGroupMember(ctx context.Context, change storage.Change, hubID, groupID, userID string) error {
	return s.write(ctx, func(tx tx) error {
		member := args{"id": groupID, "hub_id": hubID, "user_id": userID}
		if err := tx.execOne(ctx, absent("member"), deleteGroupMember, member); err != nil {
			return err
		}
		return tx.tell(ctx, change, storage.EventGroupLeft, where{subject: groupID, hub: hubID}, detail{"user": userID})
	})
}

// ListGroupMembers implements storage.GroupStore.
func (s *Store) ListGroupMembers(ctx context.Context, hubID, groupID string) ([]string, error) {
	var ids []string
	err := s.reader.list(ctx, &ids, selectGroupMembers, args{"id": groupID, "hub_id": hubID})
	return ids, asFault(err)
}
