package scim

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// connectionRow is a connection with what it is told apart by.
type connectionRow struct {
	storage.SCIMConnection
	NameKey string
}

const (
	ownColumns = `name, name_key, domains, group_prefix, disabled`

	connectionColumns = `c.id, c.name, c.domains, c.group_prefix, c.disabled, c.created_at`

	selectConnections = `
SELECT ` + connectionColumns + `,
	(SELECT count(*) FROM scim_users s WHERE s.connection_id = c.id AND s.hidden_at IS NULL) AS users,
	(SELECT count(*) FROM scim_groups s WHERE s.connection_id = c.id) AS groups
FROM scim_connections c
WHERE NOT EXISTS (SELECT 1 FROM directories d WHERE d.upstream_id = c.id)`

	selectConnection = selectConnections + ` AND c.id = :id`

	selectConnectionID = `
SELECT id FROM scim_connections WHERE id = :id`

	// People of a directory are no company's to change.
	ofCompany = ` AND NOT EXISTS (SELECT 1 FROM directories d WHERE d.upstream_id = :id)`

	lockConnection = selectConnectionID + ofCompany + `
FOR NO KEY UPDATE`

	deleteConnection = `
DELETE FROM scim_connections WHERE id = :id` + ofCompany
)

var (
	insertConnection = engine.Insert("scim_connections", "id, created_at, "+ownColumns) + `
ON CONFLICT DO NOTHING`

	updateConnection = `
UPDATE scim_connections SET ` + engine.Assign(ownColumns) + `
WHERE id = :id AND NOT EXISTS (SELECT 1 FROM scim_connections o WHERE o.id <> :id AND o.name_key = :name_key)`
)

func newConnectionRow(c storage.SCIMConnection) connectionRow {
	return connectionRow{c, textkey.Fold(c.Name)}
}

func takenConnectionName() *fault.Error {
	return fault.New(fault.Conflict, storage.ReasonNameTaken, "Another directory or connection has this name.")
}

// CreateSCIMConnection implements storage.SCIMStore.
func (s *SCIM) CreateSCIMConnection(ctx context.Context, act storage.Act, c storage.SCIMConnection) error {
	return s.write(ctx, func(tx tx) error {
		n, err := tx.Exec(ctx, insertConnection, newConnectionRow(c))
		if err != nil {
			return err
		}
		if n == 0 {
			return takenConnectionName()
		}
		return tx.Audit(ctx, act, "scim.connection_created", c.ID, engine.Detail{"name": c.Name})
	})
}

// FindSCIMConnection implements storage.SCIMStore.
func (s *SCIM) FindSCIMConnection(ctx context.Context, id string) (storage.SCIMConnection, error) {
	return engine.Find[storage.SCIMConnection](ctx, s.db, "connection", selectConnection, engine.Args{"id": id})
}

// ListSCIMConnections implements storage.SCIMStore.
func (s *SCIM) ListSCIMConnections(ctx context.Context) ([]storage.SCIMConnection, error) {
	return engine.All[storage.SCIMConnection](ctx, s.db, selectConnections+" ORDER BY c.name_key, c.id", engine.Args{})
}

// UpdateSCIMConnection implements storage.SCIMStore.
func (s *SCIM) UpdateSCIMConnection(ctx context.Context, act storage.Act, id string,
	change func(*storage.SCIMConnection) error) (c storage.SCIMConnection, err error) {
	err = s.write(ctx, func(tx tx) error {
		if err := tx.MustExist(ctx, "connection", lockConnection, id); err != nil {
			return err
		}
		if err := tx.Get(ctx, &c, selectConnection, engine.Args{"id": id}); err != nil {
			return err
		}
		if err := change(&c); err != nil {
			return err
		}
		if err := tx.ExecOne(ctx, takenConnectionName(), updateConnection, newConnectionRow(c)); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "scim.connection_updated", id,
			engine.Detail{"name": c.Name, "domains": c.Domains, "disabled": c.Disabled})
	})
	return c, err
}

// DeleteSCIMConnection implements storage.SCIMStore.
func (s *SCIM) DeleteSCIMConnection(ctx context.Context, act storage.Act, id string) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.ExecOne(ctx, engine.Absent("connection"), deleteConnection, engine.Args{"id": id}); err != nil {
			return err
		}
		return tx.Audit(ctx, act, "scim.connection_deleted", id, nil)
	})
}
