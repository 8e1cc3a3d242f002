package identity

import (
	"context"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	selectArrivalsByID = `
SELECT password_hash, ` + userColumns + `
FROM users WHERE id IN (?)`

	selectArrivalsByEmail = `
SELECT password_hash, ` + userColumns + `
FROM users WHERE email_key IN (?)`

	selectArrivalsByUsername = `
SELECT password_hash, ` + userColumns + `
FROM users WHERE username_key IN (?)`

	selectMembershipsOf = `
SELECT group_id, user_id FROM user_group_members WHERE user_id IN (?)`

	selectGroupsOfNames = `
SELECT ` + userGroupColumns + `
FROM user_groups g WHERE g.name_key IN (?)`
)

// Arriving is storage.Arriving for people and groups.
type Arriving struct {
	Tx
	Act storage.Act
}

// membership is a row of user_group_members.
type membership struct{ GroupID, UserID string }

// FindArrivals implements storage.Arriving.
func (a Arriving) FindArrivals(ctx context.Context, ids, logins []string) ([]storage.Arrival, error) {
	keys := make([]string, len(logins))
	for i, login := range logins {
		keys[i] = textkey.Fold(login)
	}
	var rows []userRow
	for query, values := range map[string][]string{
		selectArrivalsByID: ids, selectArrivalsByEmail: keys, selectArrivalsByUsername: keys,
	} {
		if err := engine.Among(ctx, a.Tx, &rows, query, values); err != nil {
			return nil, err
		}
	}
	var found []storage.Arrival
	at, all := map[string]int{}, []string{}
	for _, row := range rows {
		if _, twice := at[row.ID]; !twice {
			at[row.ID], all = len(found), append(all, row.ID)
			found = append(found, storage.Arrival{User: row.Record(), PasswordHash: row.PasswordHash})
		}
	}
	var of []membership
	if err := engine.Among(ctx, a.Tx, &of, selectMembershipsOf, all); err != nil {
		return nil, err
	}
	for _, m := range of {
		person := &found[at[m.UserID]]
		person.Groups = append(person.Groups, m.GroupID)
	}
	return found, nil
}

// FindArrivedGroups implements storage.Arriving.
func (a Arriving) FindArrivedGroups(ctx context.Context, names []string) ([]storage.UserGroup, error) {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = textkey.Fold(name)
	}
	var rows []userGroupRow
	err := engine.Among(ctx, a.Tx, &rows, selectGroupsOfNames, keys)
	return engine.Records(rows, userGroupRow.record), err
}

// AddGroup implements storage.Arriving.
func (a Arriving) AddGroup(ctx context.Context, group storage.UserGroup) error {
	return a.CreateUserGroup(ctx, a.Act, group)
}

// AddPeople implements storage.Arriving.
func (a Arriving) AddPeople(ctx context.Context, people []storage.Arrival) error {
	rows, ids := make([]userRow, len(people)), make([]string, len(people))
	for i, person := range people {
		rows[i], ids[i] = newUserRow(person.User), person.ID
		rows[i].PasswordHash = person.PasswordHash
	}
	if err := a.noneTaken(ctx, rows); err != nil {
		return err
	}
	table, err := engine.TableOf(a.Tx.Tx, "users", userColumns+", "+userKeyColumns+", password_hash", rows)
	if err != nil {
		return err
	}
	if err := a.InsertAll(ctx, table); err != nil {
		return err
	}
	if err := a.AuditAll(ctx, a.Act, "user.created", ids); err != nil {
		return err
	}
	return a.addMembers(ctx, people)
}

func (a Arriving) addMembers(ctx context.Context, people []storage.Arrival) error {
	judged := map[string]bool{}
	for _, person := range people {
		for _, groupID := range person.Groups {
			if !judged[groupID] {
				if err := a.owned(ctx, selectOwnerOfGroup, groupID); err != nil {
					return err
				}
			}
			judged[groupID] = true
			if err := a.addMember(ctx, a.Act, groupID, person.ID); err != nil {
				return err
			}
		}
	}
	return nil
}
