package identity

import (
	"context"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const selectNames = `
SELECT u.id, coalesce(nullif({user_name}, ''), u.username, '') AS name FROM users u WHERE u.id {among texts}
UNION ALL
SELECT id, name FROM service_accounts WHERE id {among texts}`

// ListNames implements storage.NameStore.
func (s *Identity) ListNames(ctx context.Context, ids []string) (map[string]string, error) {
	const most = 1000
	if len(ids) > most {
		return nil, fault.Newf(fault.Invalid, "", "At most %d names at once.", most)
	}
	rows, err := engine.All[struct{ ID, Name string }](ctx, s.db, selectNames, engine.Args{"ids": s.db.Texts(ids)})
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, id := range ids {
		if isPerson(id) {
			names[id] = storage.FormerMember
		}
	}
	for _, r := range rows {
		delete(names, r.ID)
		if r.Name != "" {
			names[r.ID] = r.Name
		}
	}
	return names, nil
}

// isPerson reports whether the id is one of people and service accounts, as
// ambient.Source.PersonID makes them, and of no app.
func isPerson(id string) bool { return len(id) == 16 && strings.ToUpper(id) == id }
