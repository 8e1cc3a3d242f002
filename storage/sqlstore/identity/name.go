package identity

import (
	"cmp"
	"context"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// ListNames implements storage.NameStore.
func (s *Identity) ListNames(ctx context.Context, ids []string) (map[string]string, error) {
	const most = 1000
	if len(ids) > most {
		return nil, fault.Newf(fault.Invalid, "", "At most %d names at once.", most)
	}
	f := engine.NewFilter()
	among := f.Among("id", ids)
	var rows []struct {
		ID, Name string
		Profile  engine.JSON[storedProfile]
	}
	err := s.db.List(ctx, &rows, `
SELECT id, username AS name, profile FROM users WHERE `+among+`
UNION ALL
SELECT id, name, '{}' FROM service_accounts WHERE `+among, f.Args)
	if err != nil {
		return nil, engine.AsFault(err)
	}
	names := map[string]string{}
	for _, id := range ids {
		if isPerson(id) {
			names[id] = storage.FormerMember
		}
	}
	for _, r := range rows {
		delete(names, r.ID)
		if name := cmp.Or(r.Profile.V.Name, r.Name); name != "" {
			names[r.ID] = name
		}
	}
	return names, nil
}

// isPerson reports whether the id is one of people and service accounts, as
// ambient.Source.PersonID makes them, and of no app.
func isPerson(id string) bool { return len(id) == 16 && strings.ToUpper(id) == id }
