// Package federation is the room of the store for who else vouches for people:
// upstreams, what they know people by, and visits to them under way.
package federation

import (
	"context"

	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

// Federation keeps upstreams and their identities.
type Federation struct{ db *engine.DB }

// New returns the room in a database.
func New(db *engine.DB) *Federation { return &Federation{db} }

type tx struct{ identity.Tx }

func (s *Federation) write(ctx context.Context, act func(tx) error) error {
	return s.db.Write(ctx, func(t engine.Tx) error { return act(tx{identity.Tx{Tx: t}}) })
}

// end is write as DB.ToTheEnd has it.
func (s *Federation) end(ctx context.Context, act func(context.Context, tx) error) error {
	return s.db.ToTheEnd(ctx, func(ctx context.Context, t engine.Tx) error { return act(ctx, tx{identity.Tx{Tx: t}}) })
}
