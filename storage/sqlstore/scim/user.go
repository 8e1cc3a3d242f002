package scim

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

// userRow is what there is of a user here beside what there is in users.
type userRow struct {
	storage.SCIMResource
	UserName string
	NameKey  string
	Active   bool
	Document string
	Hidden   bool
	User     identity.UserRow `db:"user"`
}

const (
	ownUserColumns = `external_id, user_name, name_key, active, document, version, updated_at`

	// Who is hidden comes too.
	selectUsersToo = `
SELECT s.user_id AS id, s.connection_id, s.created_at, s.external_id, s.user_name, s.name_key, s.active, s.document,
	s.version, s.updated_at, s.hidden_at IS NOT NULL AS hidden`

	fromUsers = `
FROM scim_users s JOIN users u ON u.id = s.user_id`

	deleteMemberships = `
DELETE FROM user_group_members WHERE user_id = :id
	AND group_id IN (SELECT group_id FROM scim_groups WHERE connection_id = :connection_id)`

	hideUser = `
UPDATE scim_users SET active = :active, version = version + 1, updated_at = :at, hidden_at = :at
WHERE user_id = :id`
)

var (
	selectUsers = selectUsersToo + `, ` + engine.Prefixed("u", "user", identity.UserColumns) + fromUsers

	selectUser = selectUsers + `
WHERE s.connection_id = :connection_id AND s.user_id = :id AND s.hidden_at IS NULL`

	lockUser = selectUser + `
FOR NO KEY UPDATE`

	// Those who are in the way of a user.
	lockSame = selectUsers + `
WHERE s.connection_id = :connection_id AND s.user_id <> :id
	AND (s.name_key = :name_key OR s.external_id <> '' AND s.external_id = :external_id)
FOR NO KEY UPDATE`

	insertUser = engine.Insert("scim_users", "user_id=id, connection_id, created_at, "+ownUserColumns)

	updateUser = `
UPDATE scim_users SET ` + engine.Assign(ownUserColumns) + `, hidden_at = NULL
WHERE user_id = :id`
)

func newUserRow(u storage.SCIMUser) userRow {
	return userRow{SCIMResource: u.SCIMResource, UserName: u.UserName, NameKey: textkey.Fold(u.UserName),
		Active: u.Active, Document: string(u.Document)}
}

func (r userRow) record() storage.SCIMUser {
	return storage.SCIMUser{SCIMResource: r.SCIMResource, UserName: r.UserName, Active: r.Active,
		Document: []byte(r.Document), User: r.User.Record()}
}

func taken() error {
	return fault.New(fault.Conflict, storage.ReasonTaken, "Somebody has this name or id already.")
}

func recycled() error {
	return fault.New(fault.Conflict, storage.ReasonTaken, "Somebody else, with another externalId, has or had this name. "+
		"Give the new person another one, or have an administrator delete the account of who left.")
}

func untouchable() error {
	return fault.New(fault.Forbidden, storage.ReasonUntouchable,
		"This is an administrator of the server, whom no connection changes.")
}

// FindSCIMUser implements storage.SCIMUserStore.
func (s *SCIM) FindSCIMUser(ctx context.Context, connectionID, id string) (storage.SCIMUser, error) {
	row, err := engine.Find[userRow](ctx, s.db, "user", selectUser,
		engine.Args{"connection_id": connectionID, "id": id})
	return row.record(), err
}

var userFields = columns{
	storage.SCIMID: "s.user_id", storage.SCIMName: "s.name_key", storage.SCIMExternalID: "s.external_id",
	storage.SCIMCreated: "s.created_at", storage.SCIMModified: "s.updated_at", storage.SCIMEmail: "u.email_key",
	storage.SCIMActive: "(s.active AND NOT u.disabled)",
}

// ListSCIMUsers implements storage.SCIMUserStore.
func (s *SCIM) ListSCIMUsers(ctx context.Context, connectionID string, filter storage.SCIMFilter,
	page storage.SCIMPage) ([]storage.SCIMUser, int, error) {
	f := engine.NewFilter()
	f.Add("s.connection_id = " + f.Bind(connectionID) + " AND s.hidden_at IS NULL")
	f.Add(userFields.condition(f, filter))
	rows, total, err := list[userRow](ctx, s.db, f, selectUsers, fromUsers, "s.user_id", page)
	return engine.Records(rows, userRow.record), total, err
}

// list returns a part of what the filter keeps, and how much that is.
func list[R any](ctx context.Context, db *engine.DB, f *engine.Filter, query, from, order string,
	page storage.SCIMPage) ([]R, int, error) {
	if f.Err != nil {
		return nil, 0, f.Err
	}
	var total int
	if err := db.Get(ctx, &total, "\nSELECT count(*)"+from+f.Clause(), f.Args); err != nil {
		return nil, 0, engine.AsFault(err)
	}
	if page.Limit == 0 || page.Skip >= total {
		return nil, total, nil
	}
	rows, err := engine.Filtered[R](ctx, db, query+f.Clause()+"\nORDER BY "+order+
		" LIMIT "+f.Bind(page.Limit)+" OFFSET "+f.Bind(page.Skip), f)
	return rows, total, err
}
