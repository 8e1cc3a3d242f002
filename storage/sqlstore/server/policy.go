package server

import (
	"context"
	"maps"
	"slices"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	selectPolicy = `
SELECT name, value FROM policy`

	deletePolicy = `
DELETE FROM policy WHERE name = :name`

	insertPolicy = `
INSERT INTO policy (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value`
)

// FindPolicy implements storage.PolicyStore.
func (s *Server) FindPolicy(ctx context.Context) (map[string]string, error) {
	rows, err := engine.All[serverSetting](ctx, s.db, selectPolicy, engine.Args{})
	said := map[string]string{}
	for _, row := range rows {
		said[row.Name] = row.Value
	}
	return said, err
}

// SetPolicy implements storage.PolicyStore. The names are taken in their order, so that
// two of these can't lock each other out.
func (s *Server) SetPolicy(ctx context.Context, act storage.Act, change map[string]string) error {
	return s.db.Write(ctx, func(tx engine.Tx) error {
		detail := engine.Detail{}
		for _, name := range slices.Sorted(maps.Keys(change)) {
			row, query := serverSetting{name, change[name]}, insertPolicy
			if row.Value == "" {
				query = deletePolicy
			}
			if _, err := tx.Exec(ctx, query, row); err != nil {
				return err
			}
			detail[name] = row.Value
		}
		return tx.Audit(ctx, act, "policy.set", "", detail)
	})
}
