package federation

import (
	"context"

	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const resealUpstream = `
UPDATE upstreams SET secret = :sealed WHERE id = :id AND secret = :was`

// ResealUpstream implements storage.UpstreamStore.
func (s *Federation) ResealUpstream(ctx context.Context, id string, was, sealed []byte) error {
	_, err := s.db.WriteOne(ctx, resealUpstream, engine.Args{"id": id, "was": was, "sealed": sealed})
	return err
}
