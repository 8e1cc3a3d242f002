package clients

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

const (
	// What is found at another address from now on, or, with the empty one, at none.
	insertResourceEnd = `
INSERT INTO resource_ends (match_key, ended_at)
SELECT match_key, :ended_at FROM resources WHERE id = :id AND match_key <> :key
ON CONFLICT (match_key) DO UPDATE SET ended_at = excluded.ended_at`

	selectResourceEnds = `
SELECT match_key, ended_at FROM resource_ends`
)

// endResource notes that the resource is found at its address no more, if the key is another.
// Another server may give by it for a second still.
func (t tx) endResource(ctx context.Context, act storage.Act, id, key string) error {
	_, err := t.Exec(ctx, insertResourceEnd,
		engine.Args{"id": id, "key": key, "ended_at": identity.TokensFrom(act, true).Add(time.Second)})
	return err
}

// ResourceEnds implements storage.ResourceStore.
func (s *Clients) ResourceEnds(ctx context.Context) (map[string]time.Time, error) {
	type end struct {
		MatchKey string
		EndedAt  time.Time
	}
	rows, err := engine.All[end](ctx, s.db, selectResourceEnds, engine.Args{})
	ends := make(map[string]time.Time, len(rows))
	for _, row := range rows {
		ends[row.MatchKey] = row.EndedAt
	}
	return ends, err
}
