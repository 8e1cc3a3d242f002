package sqlstore

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

type userGroupRow struct {
	ID          string  `db:"id"`
	Name        string  `db:"name"`
	NameKey     string  `db:"name_key"`
	Description string  `db:"description"`
	Members     int     `db:"members"`
	CreatedAt   instant `db:"created_at"`
}

const (
	userGroupColumns = `g.id, g.name, g.name_key, g.description, g.created_at,
	(SELECT count(*) FROM user_group_members m WHERE m.group_id = g.id) AS members`

	insertUserGroup = `
INSERT INTO user_groups (id, name, name_key, description, created_at)
VALUES (:id, :name, :name_key, :description, :created_at)
ON CONFLICT DO NOTHING`

	selectUserGroup = `
SELECT ` + userGroupColumns + `
FROM user_groups g WHERE g.id = :id`

	selectUserGroups = `
SELECT ` + userGroupColumns + `
FROM user_groups g WHERE g.name_key > :after ORDER BY g.name_key LIMIT :limit`

	selectGroupsOfUser = `
SELECT ` + userGroupColumns + `
FROM user_groups g JOIN user_group_members u ON u.group_id = g.id
WHERE u.user_id = :user_id ORDER BY g.name_key`

	selectUserGroupID = `
SELECT id FROM user_groups WHERE id = :id`

	updateUserGroup = `
UPDATE user_groups SET name = :name, name_key = :name_key, description = :description
WHERE id = :id AND NOT EXISTS (SELECT 1 FROM user_groups o WHERE o.id <> :id AND o.name_key = :name_key)`

	deleteUserGroup = `
DELETE FROM user_groups WHERE id = :id`

	insertUserGroupMember = `
INSERT INTO user_group_members (group_id, user_id) VALUES (:group_id, :user_id)
ON CONFLICT DO NOTHING`

	deleteUserGroupMember = `
DELETE FROM user_group_members WHERE group_id = :group_id AND user_id = :user_id`

	selectUserGroupMembers = `
SELECT ` + userColumns + `
FROM users WHERE id > :after AND id IN (SELECT user_id FROM user_group_members WHERE group_id = :group_id)
ORDER BY id LIMIT :limit`
)

func newUserGroupRow(g storage.UserGroup) userGroupRow {
	return userGroupRow{
		ID: g.ID, Name: g.Name, NameKey: textkey.Fold(g.Name), Description: g.Description, CreatedAt: at(g.CreatedAt),
	}
}

func (r userGroupRow) record() storage.UserGroup {
	return storage.UserGroup{
		ID: r.ID, Name: r.Name, Description: r.Description, Members: r.Members, CreatedAt: r.CreatedAt.Time,
	}
}

func takenGroupName() error {
	return fault.New(fault.Conflict, storage.ReasonGroupNameTaken, "Another group has this name.")
}

// CreateUserGroup implements storage.UserGroupStore.
func (s *Store) CreateUserGroup(ctx context.Context, act storage.Act, group storage.UserGroup) error {
	return s.write(ctx, func(tx tx) error {
		n, err := tx.exec(ctx, insertUserGroup, newUserGroupRow(group))
		if err != nil {
			return err
		}
		if n == 0 {
			return takenGroupName()
		}
		return tx.audit(ctx, act, "user_group.created", group.ID, detail{"name": group.Name})
	})
}

// FindUserGroup implements storage.UserGroupStore.
func (s *Store) FindUserGroup(ctx context.Context, id string) (storage.UserGroup, error) {
	var row userGroupRow
	err := s.reader.get(ctx, &row, selectUserGroup, args{"id": id})
	return row.record(), orAbsent(err, "group")
}

// ListUserGroups implements storage.UserGroupStore. The cursor is the folded
// name of the last group of the page before.
func (s *Store) ListUserGroups(ctx context.Context, page storage.PageRequest) ([]storage.UserGroup, string, error) {
	limit, err := pageLimit(page)
	if err != nil {
		return nil, "", err
	}
	var rows []userGroupRow
	if err := s.reader.list(ctx, &rows, selectUserGroups, args{"after": page.After, "limit": limit + 1}); err != nil {
		return nil, "", asFault(err)
	}
	rows, next := cutPage(rows, limit, func(r userGroupRow) string { return r.NameKey })
	return records(rows, userGroupRow.record), next, nil
}

// ListGroupsOfUser implements storage.UserGroupStore.
func (s *Store) ListGroupsOfUser(ctx context.Context, userID string) ([]storage.UserGroup, error) {
	var rows []userGroupRow
	err := s.reader.list(ctx, &rows, selectGroupsOfUser, args{"user_id": userID})
	return records(rows, userGroupRow.record), asFault(err)
}

// UpdateUserGroup implements storage.UserGroupStore.
func (s *Store) UpdateUserGroup(ctx context.Context, act storage.Act, group storage.UserGroup) error {
	return s.write(ctx, func(tx tx) error {
		n, err := tx.exec(ctx, updateUserGroup, newUserGroupRow(group))
		if err != nil {
			return err
		}
		if n > 0 {
			return tx.audit(ctx, act, "user_group.updated", group.ID, detail{"name": group.Name})
		}
		if err := tx.mustExist(ctx, "group", selectUserGroupID, group.ID); err != nil {
			return err
		}
		return takenGroupName()
	})
}

// DeleteUserGroup implements storage.UserGroupStore.
func (s *Store) DeleteUserGroup(ctx context.Context, act storage.Act, id string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.execOne(ctx, absent("group"), deleteUserGroup, args{"id": id}); err != nil {
			return err
		}
		return tx.audit(ctx, act, "user_group.deleted", id, nil)
	})
}

// AddUserGroupMember implements storage.UserGroupStore.
func (s *Store) AddUserGroupMember(ctx context.Context, act storage.Act, groupID, userID string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.mustExist(ctx, "group", selectUserGroupID, groupID); err != nil {
			return err
		}
		if err := tx.mustExist(ctx, "user", selectUserID, userID); err != nil {
			return err
		}
		n, err := tx.exec(ctx, insertUserGroupMember, args{"group_id": groupID, "user_id": userID})
		if err != nil || n == 0 {
			return err
		}
		return tx.audit(ctx, act, "user_group.member_added", groupID, detail{"user_id": userID})
	})
}

// DeleteUserGroupMember implements storage.UserGroupStore.
func (s *Store) DeleteUserGroupMember(ctx context.Context, act storage.Act, groupID, userID string) error {
	return s.write(ctx, func(tx tx) error {
		err := tx.execOne(ctx, absent("member"), deleteUserGroupMember, args{"group_id": groupID, "user_id": userID})
		if err != nil {
			return err
		}
		return tx.audit(ctx, act, "user_group.member_removed", groupID, detail{"user_id": userID})
	})
}

// ListUserGroupMembers implements storage.UserGroupStore.
func (s *Store) ListUserGroupMembers(ctx context.Context, groupID string, page storage.PageRequest) ([]storage.User, string, error) {
	limit, err := pageLimit(page)
	if err != nil {
		return nil, "", err
	}
	var rows []userRow
	arg := args{"group_id": groupID, "after": page.After, "limit": limit + 1}
	if err := s.reader.list(ctx, &rows, selectUserGroupMembers, arg); err != nil {
		return nil, "", asFault(err)
	}
	rows, next := cutPage(rows, limit, func(r userRow) string { return r.ID })
	return records(rows, userRow.record), next, nil
}
