// Package twins is the room of the store for facilities: their models, elements
// and values, who may use them, the history of what was changed, and documents.
package twins

import (
	"context"

	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// Twins keeps facilities.
type Twins struct{ db *engine.DB }

// New returns the room in a database.
func New(db *engine.DB) *Twins { return &Twins{db} }

type tx struct{ hubs.Tx }

func (s *Twins) write(ctx context.Context, act func(tx) error) error {
	return s.db.Write(ctx, func(t engine.Tx) error { return act(tx{hubs.Tx{Tx: t}}) })
}
