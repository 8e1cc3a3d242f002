package tree

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

const (
	selectItemUID = `
SELECT uid FROM items WHERE uid = :id`

	lockItemAlone = `
SELECT id FROM items WHERE uid = :uid AND project_id = :project_id
FOR UPDATE`
)

var (
	insertItem = engine.Insert("items", newItemColumns) + `
ON CONFLICT DO NOTHING
RETURNING id`

	lockItem = `
SELECT f.uid AS folder_id, fp.path, fp.visible, ` + engine.InTable("i", "id=key, "+newItemColumns) + `
FROM items i JOIN folders f ON f.id = i.folder_id JOIN folder_paths fp ON fp.folder_id = f.id
WHERE i.uid = :uid AND i.project_id = :project_id
FOR UPDATE OF i`

	updateItem = `
UPDATE items SET folder_id = :folder_key, ` + engine.Assign(ownItemColumns) + `,
	hidden_at = CASE WHEN NOT cast(:hidden AS {bool}) THEN NULL WHEN hidden THEN hidden_at ELSE :modified_at END, hidden = :hidden,
	revision = revision + 1, modified_at = :modified_at, modified_by = :modified_by
WHERE id = :key`
)

// itemState is an item as changes of it need to know it.
type itemState struct {
	itemRow
	Path    string
	Visible bool // its folder is
}

// spot is the folder that the item lies in.
func (i itemState) spot() spot {
	return spot{ID: i.FolderKey, UID: i.FolderID, Path: i.Path, Visible: i.Visible}
}

func (i itemState) facets() facets { return facets{i.Name, i.FolderID, i.Hidden} }

// item locks and reads an item.
func (t tx) item(ctx context.Context, project hubs.ProjectRow, uid string) (itemState, error) {
	var state itemState
	arg := engine.Args{"uid": uid, "project_id": project.ID}
	err := t.Get(ctx, &state, lockItem, arg)
	if engine.IsNoRow(err) {
		err = t.movedItem(ctx, &state, arg)
	}
	state.ProjectID = project.UID
	return state, engine.OrAbsentRow(err, "item")
}

// movedItem is for an item that somebody else has moved while lockItem waited
// for its row: PostgreSQL looks at the row again by then, but not for its new
// folder, and so finds nothing. Once the row is ours, it stays where it is.
func (t tx) movedItem(ctx context.Context, state *itemState, arg engine.Args) error {
	var id int64
	if err := t.Get(ctx, &id, lockItemAlone, arg); err != nil {
		return err
	}
	return t.Get(ctx, state, lockItem, arg)
}

// freeItem is item for changes that a reservation forbids to others.
func (t tx) freeItem(ctx context.Context, change storage.Change, project hubs.ProjectRow,
	uid string) (itemState, error) {
	state, err := t.item(ctx, project, uid)
	if err != nil {
		return itemState{}, err
	}
	if err := engine.CheckFree(state.Item, change); err != nil {
		return itemState{}, err
	}
	return state, nil
}

// wholeItem reads the item for the answer.
func (t tx) wholeItem(ctx context.Context, project hubs.ProjectRow, uid string) (storage.ItemWithTip, error) {
	var row itemWithTip
	err := t.Get(ctx, &row, selectItem, engine.Args{"item_uid": uid, "project_id": project.ID})
	return row.record(), engine.OrAbsentRow(err, "item")
}

// CreateItem implements storage.ItemStore.
func (s *Tree) CreateItem(ctx context.Context, change storage.Change, projectID string, item storage.Item,
	first storage.NewVersion) (storage.ItemWithTip, error) {
	var made storage.ItemWithTip
	err := s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		if err := tx.once(ctx, change, item.ID); err != nil {
			return err
		}
		parent, err := tx.parentSpot(ctx, project, item.FolderID)
		if err != nil {
			return err
		}
		row, err := tx.addItem(ctx, newItem(stampOf(change), project, parent, item))
		if err != nil {
			return err
		}
		tip, err := tx.addVersion(ctx, change, row, first)
		if err != nil {
			return err
		}
		if err := tx.note(ctx, change, parent, 1); err != nil {
			return err
		}
		made = storage.ItemWithTip{Item: row.Item, Tip: tip}
		return tx.Tell(ctx, change, storage.EventItemCreated, project.About(item.ID, item.FolderID),
			engine.Detail{"name": item.Name})
	})
	return made, err
}

func (t tx) addItem(ctx context.Context, row itemRow) (itemRow, error) {
	var ids []int64
	if err := t.List(ctx, &ids, insertItem, row); err != nil {
		return row, err
	}
	if len(ids) > 0 {
		row.Key = ids[0]
		return row, nil
	}
	idTaken, err := t.Lock(ctx, selectItemUID, row.ID)
	if err != nil {
		return row, err
	}
	if idTaken {
		return row, fault.New(fault.Conflict, "", "There is an item with this id already.")
	}
	return row, nameTaken("item")
}

// UpdateItem implements storage.ItemStore.
func (s *Tree) UpdateItem(ctx context.Context, change storage.Change, projectID, itemID string,
	patch storage.ItemPatch) (storage.ItemWithTip, error) {
	var done storage.ItemWithTip
	err := s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		was, err := tx.freeItem(ctx, change, project, itemID)
		if err != nil {
			return err
		}
		if err := checkSeen(change, was.Revision); err != nil {
			return err
		}
		now := was
		if changed := tx.Patch(&now, patch); len(changed) > 0 {
			if _, err := tx.changeItem(ctx, change, project, was, now, changed); err != nil {
				return err
			}
		}
		done, err = tx.wholeItem(ctx, project, itemID)
		return err
	})
	return done, err
}

// changeItem writes what has changed of an item, lets its folders know, and
// tells of it. It returns the item as it is after that.
func (t tx) changeItem(ctx context.Context, change storage.Change, project hubs.ProjectRow, was, now itemState,
	changed []string) (storage.Item, error) {
	from, to := was.spot(), was.spot()
	if now.FolderID != was.FolderID {
		var err error
		if to, err = t.parentSpot(ctx, project, now.FolderID); err != nil {
			return now.Item, err
		}
	}
	now.NameKey, now.FolderKey = textkey.Fold(now.Name), to.ID
	now.ModifiedAt, now.ModifiedBy = change.At, change.Caller.UserID
	_, err := t.Exec(ctx, updateItem, now)
	if engine.IsDuplicate(err) {
		return now.Item, nameTaken("item")
	}
	if err != nil {
		return now.Item, err
	}
	now.Revision++
	if err := t.noteItem(ctx, change, from, to, was.Hidden, now.Hidden); err != nil {
		return now.Item, err
	}
	return now.Item, t.tellAll(ctx, change, project.About(was.ID, now.FolderID), changeKinds{
		renamed: storage.EventItemRenamed, moved: storage.EventItemMoved, hidden: storage.EventItemHidden,
		restored: storage.EventItemRestored, updated: storage.EventItemUpdated,
	}, changed, was.facets(), now.facets())
}

func (t tx) noteItem(ctx context.Context, change storage.Change, from, to spot, wasHidden, isHidden bool) error {
	if from.ID == to.ID {
		return t.note(ctx, change, to, seen(isHidden)-seen(wasHidden))
	}
	if err := t.note(ctx, change, from, -seen(wasHidden)); err != nil {
		return err
	}
	return t.note(ctx, change, to, seen(isHidden))
}
