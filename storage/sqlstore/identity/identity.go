// Package identity is the room of the store for people and service accounts: who
// they are, how they sign in, what they have allowed clients, and the codes and
// tokens that came of it.
package identity

import (
	"context"

	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// Identity keeps people, service accounts, sessions and grants.
type Identity struct{ db *engine.DB }

// New returns the room in a database.
func New(db *engine.DB) *Identity { return &Identity{db} }

// Tx is a transaction in the room.
type Tx struct{ engine.Tx }

func (s *Identity) write(ctx context.Context, act func(Tx) error) error {
	return s.db.Write(ctx, func(t engine.Tx) error { return act(Tx{t}) })
}

// end does an act as DB.ToTheEnd has it.
func end(ctx context.Context, s *Identity, act func(context.Context, Tx) error) error {
	return s.db.ToTheEnd(ctx, func(ctx context.Context, t engine.Tx) error { return act(ctx, Tx{t}) })
}
