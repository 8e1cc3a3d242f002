package hubs

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// Sharing says what else may go on in a project while it changes.
type Sharing bool

// Paths are read and extended together, and rewritten alone.
const (
	Together Sharing = false
	Alone    Sharing = true
)

// Locks of the project: advisory ones, since they are taken with every change
// and must leave no trace in the table.
const (
	lockTogether = `{lock project together}`
	lockAlone    = `{lock project alone}`
)

// InProject runs an act on the tree of a project that is there, in one
// transaction. Acts that rewrite paths run alone in the project.
func InProject(ctx context.Context, db *engine.DB, projectID string, how Sharing,
	act func(Tx, ProjectRow) error) error {
	err := db.WriteSoon(ctx, func(t engine.Tx) error {
		tx := Tx{t}
		project, err := tx.lockProject(ctx, projectID, how)
		if err != nil {
			return err
		}
		return act(tx, project)
	})
	if engine.TookTooLong(err) {
		return fault.New(fault.Locked, storage.ReasonProjectBusy, "The project is being rearranged. Try again in a moment.").
			After(engine.LockWait).Because(err)
	}
	return err
}

// InOpenProject is inProject for what an archived project refuses.
func InOpenProject(ctx context.Context, db *engine.DB, projectID string, how Sharing,
	act func(Tx, ProjectRow) error) error {
	return InProject(ctx, db, projectID, how, func(tx Tx, project ProjectRow) error {
		if project.Archived {
			return fault.New(fault.Locked, storage.ReasonProjectArchived, "The project is archived: nothing changes in it.")
		}
		return act(tx, project)
	})
}

// lockProject waits for its turn, and only then reads the project.
func (t Tx) lockProject(ctx context.Context, id string, how Sharing) (ProjectRow, error) {
	query := lockTogether
	if how == Alone {
		query = lockAlone
	}
	var ids []int64
	if err := t.List(ctx, &ids, query, engine.Args{"id": id}); err != nil {
		return ProjectRow{}, err
	}
	return t.Project(ctx, id)
}
