package scim

import (
	"context"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	selectPrefix = `
SELECT group_prefix FROM scim_connections WHERE id = :id`

	selectSameGroup = `
SELECT group_id FROM scim_groups
WHERE connection_id = :connection_id AND group_id <> :id
	AND (name_key = :name_key OR external_id <> '' AND external_id = :external_id)`

	selectOwnPeople = `
SELECT user_id FROM scim_users WHERE hidden_at IS NULL AND connection_id = ? AND user_id IN (?)`

	addMembers = `
INSERT INTO user_group_members (group_id, user_id) %s
ON CONFLICT DO NOTHING`

	removeMembers = `
DELETE FROM user_group_members WHERE (group_id, user_id) IN (%s)`

	clearMembers = `
DELETE FROM user_group_members WHERE group_id = :id`

	// maxNamed is how many members one line of the audit trail names.
	maxNamed = 100
)

var updateGroup = `
UPDATE scim_groups SET ` + engine.Assign(ownGroupColumns) + `
WHERE group_id = :id`

// CreateSCIMGroup implements storage.SCIMGroupStore.
func (s *SCIM) CreateSCIMGroup(ctx context.Context, act storage.Act, group storage.SCIMGroup,
	members []string) (storage.SCIMGroup, error) {
	err := s.write(ctx, func(tx tx) error {
		if err := tx.nameGroup(ctx, &group); err != nil {
			return err
		}
		if err := tx.CreateUserGroup(ctx, act, storage.UserGroup{ID: group.ID, Name: group.Name,
			CreatedAt: act.At}); err != nil {
			return err
		}
		group.Version = 1
		if _, err := tx.Exec(ctx, insertGroup, newGroupRow(group)); err != nil {
			return err
		}
		return tx.step(ctx, act, &group, storage.SCIMGroupChange{Add: members})
	})
	return group, err
}

// nameGroup gives the group the name that it has on this server, if nobody has it in
// the connection.
func (t tx) nameGroup(ctx context.Context, group *storage.SCIMGroup) error {
	var prefix string
	if err := t.Get(ctx, &prefix, selectPrefix, engine.Args{"id": group.ConnectionID}); err != nil {
		return engine.OrAbsentRow(err, "connection")
	}
	group.Name = prefix + group.DisplayName
	var same []string
	if err := t.List(ctx, &same, selectSameGroup, newGroupRow(*group)); err != nil {
		return err
	}
	if len(same) > 0 {
		return taken()
	}
	return nil
}

// UpdateSCIMGroup implements storage.SCIMGroupStore.
func (s *SCIM) UpdateSCIMGroup(ctx context.Context, act storage.Act, connectionID, id string,
	check func(storage.SCIMGroup) error, steps []storage.SCIMGroupChange) (storage.SCIMGroup, error) {
	var group storage.SCIMGroup
	err := s.write(ctx, func(tx tx) error {
		var err error
		if group, err = tx.findGroup(ctx, connectionID, id, check); err != nil {
			return err
		}
		for _, step := range steps {
			if err := tx.step(ctx, act, &group, step); err != nil {
				return err
			}
		}
		group.Version++
		group.UpdatedAt = act.At
		_, err = tx.Exec(ctx, updateGroup, newGroupRow(group))
		return err
	})
	return group, err
}

// findGroup returns the group, which nobody else changes until the end.
func (t tx) findGroup(ctx context.Context, connectionID, id string,
	check func(storage.SCIMGroup) error) (storage.SCIMGroup, error) {
	var group storage.SCIMGroup
	err := t.Get(ctx, &group, lockGroup, engine.Args{"connection_id": connectionID, "id": id})
	if err != nil {
		return group, engine.OrAbsentRow(err, "group")
	}
	return group, check(group)
}

func (t tx) step(ctx context.Context, act storage.Act, group *storage.SCIMGroup, step storage.SCIMGroupChange) error {
	if step.DisplayName != nil || step.ExternalID != nil {
		if err := t.rename(ctx, act, group, step); err != nil {
			return err
		}
	}
	if !step.Clear && len(step.Add)+len(step.Remove) == 0 {
		return nil
	}
	if step.Clear {
		if _, err := t.Exec(ctx, clearMembers, engine.Args{"id": group.ID}); err != nil {
			return err
		}
	}
	add, err := t.ownPeople(ctx, group.ConnectionID, step.Add)
	if err != nil {
		return err
	}
	if err := t.ExecRows(ctx, addMembers, pairs(group.ID, add)); err != nil {
		return err
	}
	if err := t.ExecRows(ctx, removeMembers, pairs(group.ID, step.Remove)); err != nil {
		return err
	}
	return t.Audit(ctx, act, "scim.members_changed", group.ID, engine.Detail{
		"cleared": step.Clear, "added": named(add), "removed": named(step.Remove),
		"added_count": len(add), "removed_count": len(step.Remove),
	})
}

func (t tx) rename(ctx context.Context, act storage.Act, group *storage.SCIMGroup, step storage.SCIMGroupChange) error {
	if step.ExternalID != nil {
		group.ExternalID = *step.ExternalID
	}
	name := group.Name
	if step.DisplayName != nil {
		group.DisplayName = *step.DisplayName
	}
	if err := t.nameGroup(ctx, group); err != nil || group.Name == name {
		return err
	}
	return t.UpdateUserGroup(ctx, act, storage.UserGroup{ID: group.ID, Name: group.Name})
}

// ownPeople returns the ids, each once, if they are all of people of the connection.
func (t tx) ownPeople(ctx context.Context, connectionID string, ids []string) ([]string, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	var found []string
	if err := engine.Among(ctx, t, &found, selectOwnPeople, ids, connectionID); err != nil {
		return nil, err
	}
	if len(found) < len(ids) {
		return nil, fault.New(fault.Invalid, storage.ReasonNoMember, "A member is nobody that this connection has sent.")
	}
	return ids, nil
}

func pairs(groupID string, userIDs []string) [][]any {
	rows := make([][]any, len(userIDs))
	for i, id := range userIDs {
		rows[i] = []any{groupID, id}
	}
	return rows
}

func named(ids []string) []string { return ids[:min(len(ids), maxNamed)] }

// DeleteSCIMGroup implements storage.SCIMGroupStore.
func (s *SCIM) DeleteSCIMGroup(ctx context.Context, act storage.Act, connectionID, id string,
	check func(storage.SCIMGroup) error) error {
	return s.write(ctx, func(tx tx) error {
		if _, err := tx.findGroup(ctx, connectionID, id, check); err != nil {
			return err
		}
		return tx.DeleteUserGroup(ctx, act, id)
	})
}
