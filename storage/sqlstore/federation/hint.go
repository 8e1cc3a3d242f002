package federation

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const selectHint = `
SELECT hint FROM upstream_hints WHERE session_id = :id`

// FindUpstreamHint implements storage.UpstreamStore.
func (s *Federation) FindUpstreamHint(ctx context.Context, sessionID string) ([]byte, error) {
	hint, err := engine.Find[[]byte](ctx, s.db, "hint", selectHint, engine.Args{"id": sessionID})
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return hint, err
}
