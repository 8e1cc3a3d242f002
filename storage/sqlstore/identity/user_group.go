package identity

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// userGroupRow is a group with what it is found by.
type userGroupRow struct {
	storage.UserGroup
	NameKey   string
	SearchKey string
}

func newUserGroupRow(g storage.UserGroup) userGroupRow {
	return userGroupRow{g, textkey.Fold(g.Name), engine.SearchKey(g.Name, g.Description)}
}

const (
	userGroupColumns = `g.id, g.name, g.name_key, g.description, g.created_at,
	(SELECT count(*) FROM user_group_members m WHERE m.group_id = g.id) AS members`

	insertUserGroup = `
INSERT INTO user_groups (id, name, name_key, search_key, description, created_at)
VALUES (:id, :name, :name_key, :search_key, :description, :created_at)
ON CONFLICT DO NOTHING`

	selectUserGroup = `
SELECT ` + userGroupColumns + `
FROM user_groups g WHERE g.id = :id`

	selectGroupsOfUser = `
SELECT ` + userGroupColumns + `
FROM user_groups g JOIN user_group_members u ON u.group_id = g.id
WHERE u.user_id = :user_id ORDER BY g.name_key`

	selectUserGroupOfName = `
SELECT ` + userGroupColumns + `
FROM user_groups g WHERE g.name_key = :name_key`

	// SelectUserGroupID finds a group for who only needs to know that it is there.
	SelectUserGroupID = `
SELECT id FROM user_groups WHERE id = :id`

	lockUserGroup = SelectUserGroupID + `
FOR NO KEY UPDATE`

	updateUserGroup = `
UPDATE user_groups SET name = :name, name_key = :name_key, search_key = :search_key, description = :description
WHERE id = :id AND NOT EXISTS (SELECT 1 FROM user_groups o WHERE o.id <> :id AND o.name_key = :name_key)`

	deleteUserGroup = `
DELETE FROM user_groups WHERE id = :id`

	insertUserGroupMember = `
INSERT INTO user_group_members (group_id, user_id) VALUES (:group_id, :user_id)
ON CONFLICT (group_id, user_id) DO UPDATE SET source = '' WHERE user_group_members.source <> ''`

	deleteUserGroupMember = `
DELETE FROM user_group_members WHERE group_id = :group_id AND user_id = :user_id`
)

func (r userGroupRow) record() storage.UserGroup { return r.UserGroup }

func takenGroupName() error {
	return fault.New(fault.Conflict, storage.ReasonGroupNameTaken, "Another group has this name.")
}

// CreateUserGroup implements storage.UserGroupStore.
func (s *Identity) CreateUserGroup(ctx context.Context, act storage.Act, group storage.UserGroup) error {
	return s.write(ctx, func(tx Tx) error { return tx.CreateUserGroup(ctx, act, group) })
}

// CreateUserGroup is that of storage.UserGroupStore.
func (t Tx) CreateUserGroup(ctx context.Context, act storage.Act, group storage.UserGroup) error {
	n, err := t.Exec(ctx, insertUserGroup, newUserGroupRow(group))
	if err != nil {
		return err
	}
	if n == 0 {
		return takenGroupName()
	}
	return t.Audit(ctx, act, "user_group.created", group.ID, engine.Detail{"name": group.Name})
}

// FindUserGroup implements storage.UserGroupStore.
func (s *Identity) FindUserGroup(ctx context.Context, id string) (storage.UserGroup, error) {
	row, err := engine.Find[userGroupRow](ctx, s.db, "group", selectUserGroup, engine.Args{"id": id})
	return row.UserGroup, err
}

// FindUserGroupByName implements storage.UserGroupStore.
func (s *Identity) FindUserGroupByName(ctx context.Context, name string) (storage.UserGroup, error) {
	row, err := engine.Find[userGroupRow](ctx, s.db, "group", selectUserGroupOfName,
		engine.Args{"name_key": textkey.Fold(name)})
	return row.UserGroup, err
}

// ListGroupsOfUser implements storage.UserGroupStore.
func (s *Identity) ListGroupsOfUser(ctx context.Context, userID string) ([]storage.UserGroup, error) {
	rows, err := engine.All[userGroupRow](ctx, s.db, selectGroupsOfUser, engine.Args{"user_id": userID})
	return engine.Records(rows, userGroupRow.record), err
}

// UpdateUserGroup implements storage.UserGroupStore.
func (s *Identity) UpdateUserGroup(ctx context.Context, act storage.Act, id string,
	change func(*storage.UserGroup) error) (group storage.UserGroup, err error) {
	err = s.writeGroup(ctx, id, func(tx Tx) error {
		if err := tx.MustExist(ctx, "group", lockUserGroup, id); err != nil {
			return err
		}
		var row userGroupRow
		if err := tx.Get(ctx, &row, selectUserGroup, engine.Args{"id": id}); err != nil {
			return err
		}
		group = row.UserGroup
		if err := change(&group); err != nil {
			return err
		}
		return tx.UpdateUserGroup(ctx, act, group)
	})
	return group, err
}

// UpdateUserGroup is that of storage.UserGroupStore, for whoever the group belongs to.
func (t Tx) UpdateUserGroup(ctx context.Context, act storage.Act, group storage.UserGroup) error {
	n, err := t.Exec(ctx, updateUserGroup, newUserGroupRow(group))
	if err != nil {
		return err
	}
	if n > 0 {
		return t.Audit(ctx, act, "user_group.updated", group.ID, engine.Detail{"name": group.Name})
	}
	if err := t.MustExist(ctx, "group", SelectUserGroupID, group.ID); err != nil {
		return err
	}
	return takenGroupName()
}

// DeleteUserGroup implements storage.UserGroupStore.
func (s *Identity) DeleteUserGroup(ctx context.Context, act storage.Act, id string) error {
	return s.writeGroup(ctx, id, func(tx Tx) error { return tx.DeleteUserGroup(ctx, act, id) })
}

// DeleteUserGroup is that of storage.UserGroupStore, for whoever the group belongs to.
func (t Tx) DeleteUserGroup(ctx context.Context, act storage.Act, id string) error {
	if err := t.ExecOne(ctx, engine.Absent("group"), deleteUserGroup, engine.Args{"id": id}); err != nil {
		return err
	}
	return t.Audit(ctx, act, "user_group.deleted", id, nil)
}

// AddUserGroupMember implements storage.UserGroupStore.
func (s *Identity) AddUserGroupMember(ctx context.Context, act storage.Act, groupID, userID string) error {
	return s.writeGroup(ctx, groupID, func(tx Tx) error {
		if err := tx.MustExist(ctx, "group", SelectUserGroupID, groupID); err != nil {
			return err
		}
		if err := tx.MustExist(ctx, "user", SelectUserID, userID); err != nil {
			return err
		}
		return tx.addMember(ctx, act, groupID, userID)
	})
}

func (t Tx) addMember(ctx context.Context, act storage.Act, groupID, userID string) error {
	n, err := t.Exec(ctx, insertUserGroupMember, engine.Args{"group_id": groupID, "user_id": userID})
	if err != nil || n == 0 {
		return err
	}
	return t.Audit(ctx, act, "user_group.member_added", groupID, engine.Detail{"user_id": userID})
}

// DeleteUserGroupMember implements storage.UserGroupStore.
func (s *Identity) DeleteUserGroupMember(ctx context.Context, act storage.Act, groupID, userID string) error {
	return s.writeGroup(ctx, groupID, func(tx Tx) error {
		err := tx.ExecOne(ctx, engine.Absent("member"), deleteUserGroupMember,
			engine.Args{"group_id": groupID, "user_id": userID})
		if err != nil {
			return err
		}
		return tx.Audit(ctx, act, "user_group.member_removed", groupID, engine.Detail{"user_id": userID})
	})
}
