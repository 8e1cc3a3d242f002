// Package clients is the room of the store for client applications: their
// secrets, addresses, pictures, who looks after them, and what went wrong.
package clients

import (
	"context"

	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

// Clients keeps client applications.
type Clients struct{ db *engine.DB }

// New returns the room in a database.
func New(db *engine.DB) *Clients { return &Clients{db} }

type tx struct{ identity.Tx }

func (s *Clients) write(ctx context.Context, act func(tx) error) error {
	return s.db.Write(ctx, func(t engine.Tx) error { return act(tx{identity.Tx{Tx: t}}) })
}

// end is write as DB.ToTheEnd has it.
func (s *Clients) end(ctx context.Context, act func(context.Context, tx) error) error {
	return s.db.ToTheEnd(ctx, func(ctx context.Context, t engine.Tx) error { return act(ctx, tx{identity.Tx{Tx: t}}) })
}
