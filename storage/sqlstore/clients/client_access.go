package clients

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

const (
	insertClientGroup = `
INSERT INTO client_groups (client_id, group_id) VALUES (:client_id, :id)
ON CONFLICT DO NOTHING`

	insertClientUser = `
INSERT INTO client_users (client_id, user_id) VALUES (:client_id, :id)
ON CONFLICT DO NOTHING`

	deleteClientGroup = `
DELETE FROM client_groups WHERE client_id = :client_id AND group_id = :id`

	deleteClientUser = `
DELETE FROM client_users WHERE client_id = :client_id AND user_id = :id`

	countClientAccess = `
SELECT (SELECT count(*) FROM client_groups WHERE client_id = :client_id)
	+ (SELECT count(*) FROM client_users WHERE client_id = :client_id)`

	selectClientGroups = `
SELECT g.id AS group_id, '' AS user_id, g.name, '' AS email
FROM client_groups a JOIN user_groups g ON g.id = a.group_id
WHERE a.client_id = :client_id ORDER BY g.id`

	selectClientUsers = `
SELECT '' AS group_id, u.id AS user_id, coalesce({user_name}, '') AS name, u.email
FROM client_users a JOIN users u ON u.id = a.user_id
WHERE a.client_id = :client_id ORDER BY u.id`

	selectMayUse = `
SELECT EXISTS (SELECT 1 FROM clients c, users u
	WHERE c.id = :client_id AND u.id = :user_id AND ` + identity.MayUse + `)`
)

// named is where a group or a person stands who is named for a client.
type named struct {
	what, exists, insert, delete string
	id                           string
}

func namedBy(who storage.ClientAccess) named {
	if who.GroupID != "" {
		return named{"group", identity.SelectUserGroupID, insertClientGroup, deleteClientGroup, who.GroupID}
	}
	return named{"user", identity.SelectUserID, insertClientUser, deleteClientUser, who.UserID}
}

// AllowClient implements storage.ClientAccessStore. The client is locked, so that
// several additions count one after the other.
func (s *Clients) AllowClient(ctx context.Context, act storage.Act, clientID string, who storage.ClientAccess) error {
	by := namedBy(who)
	return s.write(ctx, func(tx tx) error {
		if err := tx.MustExist(ctx, "client", identity.LockClient, clientID); err != nil {
			return err
		}
		if err := tx.MustExist(ctx, by.what, by.exists, by.id); err != nil {
			return err
		}
		arg := engine.Args{"client_id": clientID, "id": by.id}
		n, err := tx.Exec(ctx, by.insert, arg)
		if err != nil || n == 0 {
			return err
		}
		var count int
		if err := tx.Get(ctx, &count, countClientAccess, arg); err != nil {
			return err
		}
		if count > storage.MaxClientAccess {
			return fault.Newf(fault.Conflict, storage.ReasonAccessFull,
				"At most %d groups and people can be named for an app. Put people into a group, and name that.",
				storage.MaxClientAccess)
		}
		return tx.Audit(ctx, act, "client.access_given", clientID, engine.Detail{by.what + "_id": by.id})
	})
}

// DisallowClient implements storage.ClientAccessStore.
func (s *Clients) DisallowClient(ctx context.Context, act storage.Act, clientID string,
	who storage.ClientAccess) error {
	by := namedBy(who)
	return s.write(ctx, func(tx tx) error {
		if err := tx.ExecOne(ctx, engine.Absent(by.what), by.delete,
			engine.Args{"client_id": clientID, "id": by.id}); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "client.access_taken", clientID, engine.Detail{by.what + "_id": by.id})
	})
}

// ListClientAccess implements storage.ClientAccessStore.
func (s *Clients) ListClientAccess(ctx context.Context, clientID string) ([]storage.ClientAccess, error) {
	arg := engine.Args{"client_id": clientID}
	groups, err := engine.All[storage.ClientAccess](ctx, s.db, selectClientGroups, arg)
	if err != nil {
		return nil, err
	}
	users, err := engine.All[storage.ClientAccess](ctx, s.db, selectClientUsers, arg)
	return append(groups, users...), err
}

// MayUseClient implements storage.ClientAccessStore.
func (s *Clients) MayUseClient(ctx context.Context, clientID, userID string) (may bool, err error) {
	err = s.db.Get(ctx, &may, selectMayUse, engine.Args{"client_id": clientID, "user_id": userID})
	return may, engine.AsFault(err)
}
