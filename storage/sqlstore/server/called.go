package server

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// ListCalled implements storage.CalledStore.
func (s *Server) ListCalled(ctx context.Context, ids []string) ([]storage.Called, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	f := engine.NewFilter()
	f.In("u.id", ids)
	query := `
SELECT u.id, 'user' AS kind, coalesce(nullif({user_name}, ''), u.email) AS name FROM users u` + f.Clause() + `
UNION ALL SELECT u.id, 'client', u.name FROM clients u` + f.Clause() + `
UNION ALL SELECT u.id, 'group', u.name FROM user_groups u` + f.Clause() + `
UNION ALL SELECT u.id, 'service_account', u.email FROM service_accounts u` + f.Clause()
	return engine.All[storage.Called](ctx, s.db, query, f.Args)
}
