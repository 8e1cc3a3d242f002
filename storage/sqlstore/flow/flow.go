// Package flow is the room of the store for how far files have come: the states
// of versions, and how the files of a project are called.
//
// The versions themselves are of the room tree. Start at Flow.
package flow

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// Flow keeps states and rules of names.
type Flow struct{ db *engine.DB }

// New returns the room in a database.
func New(db *engine.DB) *Flow { return &Flow{db} }

// statedRow is a version, and the folder that it lies in.
type statedRow struct {
	ItemKey       int64
	Revision      int64
	ExtensionData string
	FolderKey     int64
	FolderUID     string
	Path          string
}

const (
	// The item is locked before its versions are read, so that no two of them
	// get one revision.
	lockItem = `
SELECT i.id AS key, i.reserved_by, i.reserved_until FROM items i WHERE i.uid = :item_uid AND i.project_id = :project_id
FOR UPDATE`

	selectStated = `
SELECT i.id AS item_key, v.revision, v.extension_data, f.id AS folder_key, f.uid AS folder_uid, fp.path
FROM items i JOIN versions v ON v.item_id = i.id JOIN folders f ON f.id = i.folder_id
	JOIN folder_paths fp ON fp.folder_id = f.id
WHERE i.id = :item_key AND v.number = :number`

	updateState = `
UPDATE versions SET extension_data = :data, revision = revision + 1, modified_at = :at, modified_by = :by
WHERE item_id = :item_key AND number = :number`

	// What is said of the newest version is found by.
	updateStated = `
UPDATE items SET tip_stated = :stated, tip_state = :state, tip_suitability = :suitability, tip_revision = :revision
WHERE id = :item_key AND tip = :number`

	noteChange = `{note change}`
)

// SetVersionState implements storage.FlowStore.
func (s *Flow) SetVersionState(ctx context.Context, change storage.Change, projectID string, ref storage.VersionRef,
	state storage.VersionState) error {
	return hubs.InOpenProject(ctx, s.db, projectID, hubs.Together, func(t hubs.Tx, project hubs.ProjectRow) error {
		row, err := stated(ctx, t, change, project, ref)
		if err != nil {
			return err
		}
		if change.Seen != 0 && change.Seen != row.Revision {
			return fault.New(fault.PreconditionFailed, storage.ReasonChanged, "It was changed meanwhile: read it again.")
		}
		if storage.StateOf(storage.Extension{Data: row.ExtensionData}) == state {
			return nil
		}
		if err := revisionFree(ctx, t, row, ref, state.Revision); err != nil {
			return err
		}
		data, err := storage.WithState(row.ExtensionData, state)
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, updateState, engine.Args{"data": data, "at": change.At, "by": change.Caller.UserID,
			"item_key": row.ItemKey, "number": ref.Number})
		if err == nil {
			err = keepStated(ctx, t, row, ref.Number, state)
		}
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, noteChange, engine.Args{"folder_id": row.FolderKey, "path": row.Path,
			"at": change.At, "objects": 0})
		if err != nil {
			return err
		}
		return t.Tell(ctx, change, storage.EventVersionState, project.About(ref.ItemID, row.FolderUID),
			engine.Detail{"number": ref.Number, "state": state.State, "suitability": state.Suitability,
				"revision": state.Revision})
	})
}

// keepStated lets a file be found by what is said of its newest version.
func keepStated(ctx context.Context, t hubs.Tx, row statedRow, number int, state storage.VersionState) error {
	said := number
	if state == (storage.VersionState{}) {
		said = 0
	}
	_, err := t.Exec(ctx, updateStated, engine.Args{"stated": said, "state": state.State,
		"suitability": state.Suitability, "revision": state.Revision, "item_key": row.ItemKey, "number": number})
	return err
}

func stated(ctx context.Context, t hubs.Tx, change storage.Change, project hubs.ProjectRow,
	ref storage.VersionRef) (statedRow, error) {
	var row statedRow
	var item struct {
		Key int64
		storage.Item
	}
	err := t.Get(ctx, &item, lockItem, engine.Args{"item_uid": ref.ItemID, "project_id": project.ID})
	if err == nil {
		err = engine.CheckFree(item.Item, change)
	}
	if err == nil {
		err = t.Get(ctx, &row, selectStated, engine.Args{"item_key": item.Key, "number": ref.Number})
	}
	return row, engine.OrAbsentRow(err, "version")
}

// revisionFree refuses a revision that another version of the item has.
func revisionFree(ctx context.Context, t hubs.Tx, row statedRow, ref storage.VersionRef, revision string) error {
	if revision == "" {
		return nil
	}
	f := engine.NewFilter()
	f.Add("v.item_id = " + f.Bind(row.ItemKey) + " AND v.number <> " + f.Bind(ref.Number))
	f.Data("v.extension_data", []storage.DataCondition{
		{Path: []string{storage.StateMember, "revision"}, Op: storage.OpEqual, Values: []string{revision}}})
	var numbers []int
	if err := t.List(ctx, &numbers, "SELECT v.number FROM versions v"+f.Clause(), f.Args); err != nil {
		return err
	}
	if len(numbers) == 0 {
		return nil
	}
	return fault.Newf(fault.Conflict, storage.ReasonRevisionTaken, "Version %d of the file has this revision.", numbers[0])
}
