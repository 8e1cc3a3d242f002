package scim

import (
	"context"
	"strconv"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// groupRow is a group with what it is told apart by.
type groupRow struct {
	storage.SCIMGroup
	NameKey string
}

const (
	ownGroupColumns = `external_id, display_name, name_key, version, updated_at`

	selectGroups = `
SELECT s.group_id AS id, s.connection_id, s.external_id, s.display_name, s.version, s.created_at, s.updated_at, g.name`

	fromGroups = `
FROM scim_groups s JOIN user_groups g ON g.id = s.group_id`

	selectGroup = selectGroups + fromGroups + `
WHERE s.connection_id = :connection_id AND s.group_id = :id`

	lockGroup = selectGroup + `
FOR NO KEY UPDATE`

	selectMembers = `
SELECT m.group_id, '' AS group_name, m.user_id, s.user_name
FROM user_group_members m JOIN scim_users s ON s.user_id = m.user_id
WHERE s.hidden_at IS NULL AND m.group_id IN (?) ORDER BY m.group_id, m.user_id LIMIT `

	selectGroupsOf = `
SELECT m.group_id, s.display_name AS group_name, m.user_id, '' AS user_name
FROM user_group_members m JOIN scim_groups s ON s.group_id = m.group_id
WHERE m.user_id IN (?) ORDER BY m.user_id, s.name_key`

	selectOwnersOfUsers = `
SELECT s.user_id AS id, s.connection_id, c.name
FROM scim_users s JOIN scim_connections c ON c.id = s.connection_id WHERE s.user_id IN (?)`

	selectOwnersOfGroups = `
SELECT s.group_id AS id, s.connection_id, c.name
FROM scim_groups s JOIN scim_connections c ON c.id = s.connection_id WHERE s.group_id IN (?)`
)

var insertGroup = engine.Insert("scim_groups", "group_id=id, connection_id, created_at, "+ownGroupColumns)

func newGroupRow(g storage.SCIMGroup) groupRow { return groupRow{g, textkey.Fold(g.DisplayName)} }

// FindSCIMGroup implements storage.SCIMGroupStore.
func (s *SCIM) FindSCIMGroup(ctx context.Context, connectionID, id string) (storage.SCIMGroup, error) {
	return engine.Find[storage.SCIMGroup](ctx, s.db, "group", selectGroup,
		engine.Args{"connection_id": connectionID, "id": id})
}

var groupFields = columns{
	storage.SCIMID: "s.group_id", storage.SCIMName: "s.name_key", storage.SCIMExternalID: "s.external_id",
	storage.SCIMCreated: "s.created_at", storage.SCIMModified: "s.updated_at",
	storage.SCIMMemberID: "EXISTS (SELECT 1 FROM user_group_members m WHERE m.group_id = s.group_id AND m.user_id = ?)",
}

// ListSCIMGroups implements storage.SCIMGroupStore.
func (s *SCIM) ListSCIMGroups(ctx context.Context, connectionID string, filter storage.SCIMFilter,
	page storage.SCIMPage) ([]storage.SCIMGroup, int, error) {
	f := engine.NewFilter()
	f.Add("s.connection_id = " + f.Bind(connectionID))
	f.Add(groupFields.condition(f, filter))
	return list[storage.SCIMGroup](ctx, s.db, f, selectGroups+fromGroups, fromGroups, "s.group_id", page)
}

// ListSCIMMembers implements storage.SCIMGroupStore.
func (s *SCIM) ListSCIMMembers(ctx context.Context, groupIDs []string, limit int) ([]storage.SCIMMember, error) {
	var rows []storage.SCIMMember
	err := engine.ReadAmong(ctx, s.db, &rows, selectMembers+strconv.Itoa(limit), groupIDs)
	return rows, engine.AsFault(err)
}

// ListSCIMGroupsOf implements storage.SCIMGroupStore.
func (s *SCIM) ListSCIMGroupsOf(ctx context.Context, userIDs []string) ([]storage.SCIMMember, error) {
	var rows []storage.SCIMMember
	err := engine.ReadAmong(ctx, s.db, &rows, selectGroupsOf, userIDs)
	return rows, engine.AsFault(err)
}

// FindSCIMOwners implements storage.SCIMStore.
func (s *SCIM) FindSCIMOwners(ctx context.Context, ids []string) (map[string]storage.SCIMOwner, error) {
	var rows []struct {
		ID string
		storage.SCIMOwner
	}
	for _, query := range []string{selectOwnersOfUsers, selectOwnersOfGroups} {
		if err := engine.ReadAmong(ctx, s.db, &rows, query, ids); err != nil {
			return nil, engine.AsFault(err)
		}
	}
	owners := map[string]storage.SCIMOwner{}
	for _, r := range rows {
		owners[r.ID] = r.SCIMOwner
	}
	return owners, nil
}
