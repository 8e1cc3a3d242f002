// Package tree is the room of the store for what lies in projects: folders, items
// and their versions, who may see them, relations, search, the bytes of versions,
// and webhooks, which tell of changes.
//
// Whoever changes the tree of a project takes the lock of that project first,
// together with others or, to rewrite paths, alone (hubs.InProject). What a change
// means for the folders above it is noted on PostgreSQL, where writers must not wait
// for each other, and folded in later (fold.go); readers add what is noted.
package tree

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// Tree keeps what lies in projects.
type Tree struct {
	db   *engine.DB
	hubs *hubs.Hubs
	kept keptPages
}

// New returns the room in a database, beside that of hubs.
func New(db *engine.DB, hubs *hubs.Hubs) *Tree { return &Tree{db: db, hubs: hubs} }

type tx struct{ hubs.Tx }

func (s *Tree) write(ctx context.Context, act func(tx) error) error {
	return s.db.Write(ctx, func(t engine.Tx) error { return act(tx{hubs.Tx{Tx: t}}) })
}

// stampOf is the stamp of what a change creates.
func stampOf(change storage.Change) storage.Stamp {
	by := change.Caller.UserID
	return storage.Stamp{CreatedAt: change.At, CreatedBy: by, ModifiedAt: change.At, ModifiedBy: by}
}

// inProject is the one of hubs, in transactions of the tree.
func (s *Tree) inProject(ctx context.Context, projectID string, how hubs.Sharing,
	act func(tx, hubs.ProjectRow) error) error {
	return hubs.InProject(ctx, s.db, projectID, how,
		func(t hubs.Tx, project hubs.ProjectRow) error { return act(tx{t}, project) })
}

// inOpenProject is inProject for what an archived project refuses.
func (s *Tree) inOpenProject(ctx context.Context, projectID string, how hubs.Sharing,
	act func(tx, hubs.ProjectRow) error) error {
	return hubs.InOpenProject(ctx, s.db, projectID, how,
		func(t hubs.Tx, project hubs.ProjectRow) error { return act(tx{t}, project) })
}
