// Package hubs is the room of the store for hubs and projects, who belongs to them
// and which apps may come in. Other rooms ask it where a caller stands, and change
// a project in its lock: InProject.
package hubs

import (
	"context"

	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// Hubs keeps hubs and projects.
type Hubs struct{ db *engine.DB }

// New returns the room in a database.
func New(db *engine.DB) *Hubs { return &Hubs{db} }

// Tx is a transaction in the room.
type Tx struct{ engine.Tx }

func (s *Hubs) write(ctx context.Context, act func(Tx) error) error {
	return s.db.Write(ctx, func(t engine.Tx) error { return act(Tx{t}) })
}
