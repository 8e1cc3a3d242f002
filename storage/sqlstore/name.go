package sqlstore

import (
	"cmp"
	"context"

	"github.com/portico-id/portico/internal/fault"
)

// ListNames implements storage.NameStore.
func (s *Store) ListNames(ctx context.Context, ids []string) (map[string]string, error) {
	const most = 1000
	if len(ids) > most {
		return nil, fault.Newf(fault.Invalid, "", "At most %d names at once.", most)
	}
	f := newFilter()
	among := f.among("id", ids)
	var rows []struct {
		ID      string  `db:"id"`
		Name    string  `db:"name"`
		Profile profile `db:"profile"`
	}
	err := s.reader.list(ctx, &rows, `
SELECT id, username AS name, profile FROM users WHERE `+among+`
UNION ALL
SELECT id, name, '{}' FROM service_accounts WHERE `+among, f.args)
	if err != nil {
		return nil, asFault(err)
	}
	names := map[string]string{}
	for _, r := range rows {
		if name := cmp.Or(r.Profile.Name, r.Name); name != "" {
			names[r.ID] = name
		}
	}
	return names, nil
}
