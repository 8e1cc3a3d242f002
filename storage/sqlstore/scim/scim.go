// Package scim is the room of the store for the companies that send their people and
// groups, and for what of those is theirs. The people and groups themselves are room
// identity's, whose transactions it goes on with.
package scim

import (
	"context"

	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

// SCIM keeps connections and what is theirs.
type SCIM struct{ db *engine.DB }

// New returns the room in a database.
func New(db *engine.DB) *SCIM { return &SCIM{db} }

type tx struct{ identity.Tx }

func (s *SCIM) write(ctx context.Context, act func(tx) error) error {
	return s.db.Write(ctx, func(t engine.Tx) error { return act(tx{identity.Tx{Tx: t}}) })
}

// end does an act as DB.ToTheEnd has it.
func (s *SCIM) end(ctx context.Context, act func(context.Context, tx) error) error {
	return s.db.ToTheEnd(ctx, func(ctx context.Context, t engine.Tx) error { return act(ctx, tx{identity.Tx{Tx: t}}) })
}
