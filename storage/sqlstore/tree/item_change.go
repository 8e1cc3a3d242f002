package tree

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

const (
	insertItem = `
INSERT INTO items (uid, project_id, folder_id, name, name_key, hidden, tip, extension_type, extension_version,
	extension_data, revision, created_at, created_by, modified_at, modified_by, reserved_by)
VALUES (:uid, :project_id, :folder_id, :name, :name_key, false, 1, :extension_type, :extension_version,
	:extension_data, 1, :created_at, :created_by, :modified_at, :modified_by, '')
ON CONFLICT DO NOTHING
RETURNING id`

	selectItemUID = `
SELECT uid FROM items WHERE uid = :id`

	lockItem = `
SELECT i.id, i.uid, i.folder_id, i.name, i.name_key, i.hidden, i.tip, i.extension_type, i.extension_version, i.extension_data,
	i.revision, i.created_at, i.created_by, i.modified_at, i.modified_by, i.reserved_by, i.reserved_at, i.reserved_until,
	f.uid AS folder_uid, fp.path, fp.visible
FROM items i JOIN folders f ON f.id = i.folder_id JOIN folder_paths fp ON fp.folder_id = f.id
WHERE i.uid = :uid AND i.project_id = :project_id
FOR UPDATE OF i`

	lockItemAlone = `
SELECT id FROM items WHERE uid = :uid AND project_id = :project_id
FOR UPDATE`

	updateItem = `
UPDATE items SET name = :name, name_key = :name_key, folder_id = :folder_id, extension_data = :extension_data,
	hidden_at = CASE WHEN NOT cast(:hidden AS {bool}) THEN NULL WHEN hidden THEN hidden_at ELSE :at END, hidden = :hidden,
	tip = :tip, revision = revision + 1, modified_at = :at, modified_by = :by
WHERE id = :id`
)

// newItemRow is the row that insertItem takes.
type newItemRow struct {
	UID       string `db:"uid"`
	ProjectID int64  `db:"project_id"`
	FolderID  int64  `db:"folder_id"`
	Name      string `db:"name"`
	NameKey   string `db:"name_key"`
	hubs.ExtensionRow
	hubs.StampRow
}

func (r newItemRow) record(project hubs.ProjectRow, folder spot) storage.Item {
	return storage.Item{
		ID: r.UID, ProjectID: project.UID, FolderID: folder.UID, Name: r.Name, Tip: 1,
		Extension: r.ExtensionRow.Record(), Revision: 1, Stamp: r.StampRow.Record(),
	}
}

// itemState is an item as changes of it need to know it.
type itemState struct {
	ID        int64  `db:"id"`
	UID       string `db:"uid"`
	FolderID  int64  `db:"folder_id"`
	FolderUID string `db:"folder_uid"`
	Path      string `db:"path"`
	Visible   bool   `db:"visible"`
	Name      string `db:"name"`
	NameKey   string `db:"name_key"`
	Hidden    bool   `db:"hidden"`
	Tip       int    `db:"tip"`
	hubs.ExtensionRow
	Revision int64 `db:"revision"`
	hubs.StampRow
	ReservedBy    string         `db:"reserved_by"`
	ReservedAt    engine.Instant `db:"reserved_at"`
	ReservedUntil engine.Instant `db:"reserved_until"`
}

// changed is the item as it is after a change of it.
func (i itemState) changed(change storage.Change, project hubs.ProjectRow) storage.Item {
	stamp := i.StampRow.Record()
	stamp.ModifiedAt, stamp.ModifiedBy = change.At, change.Caller.UserID
	return storage.Item{
		ID: i.UID, ProjectID: project.UID, FolderID: i.FolderUID, Name: i.Name, Hidden: i.Hidden, Tip: i.Tip,
		Extension: i.ExtensionRow.Record(), Revision: i.Revision + 1, Stamp: stamp,
		ReservedBy: i.ReservedBy, ReservedAt: i.ReservedAt.Time, ReservedUntil: i.ReservedUntil.Time,
	}
}

// spot is the folder that the item lies in.
func (i itemState) spot() spot {
	return spot{ID: i.FolderID, UID: i.FolderUID, Path: i.Path, Visible: i.Visible}
}

func (i itemState) facets() facets { return facets{i.Name, i.FolderUID, i.Data, i.Hidden} }

// reserved returns whose the item is at the time: a user's id, or "".
func (i itemState) reserved(now time.Time) string {
	return storage.Item{ReservedBy: i.ReservedBy, ReservedUntil: i.ReservedUntil.Time}.ReservedFor(now)
}

// item locks and reads an item.
func (t tx) item(ctx context.Context, project hubs.ProjectRow, uid string) (itemState, error) {
	var state itemState
	arg := engine.Args{"uid": uid, "project_id": project.ID}
	err := t.Get(ctx, &state, lockItem, arg)
	if engine.IsNoRow(err) {
		err = t.movedItem(ctx, &state, arg)
	}
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
func (t tx) freeItem(ctx context.Context, change storage.Change, project hubs.ProjectRow, uid string) (itemState, error) {
	state, err := t.item(ctx, project, uid)
	if err != nil {
		return itemState{}, err
	}
	if err := state.checkFree(change); err != nil {
		return itemState{}, err
	}
	return state, nil
}

func (i itemState) checkFree(change storage.Change) error {
	holder := i.reserved(change.At)
	if holder == "" || holder == change.Caller.UserID {
		return nil
	}
	return fault.New(fault.Locked, storage.ReasonReserved, "Somebody else has reserved the item.").
		With(storage.FactHolder, holder).With(storage.FactUntil, i.ReservedUntil.UTC().Format(time.RFC3339Nano)).
		After(i.ReservedUntil.Sub(change.At))
}

// wholeItem reads the item for the answer.
func (t tx) wholeItem(ctx context.Context, project hubs.ProjectRow, uid string) (storage.ItemWithTip, error) {
	var row itemWithTip
	err := t.Get(ctx, &row, selectItem, engine.Args{"item_uid": uid, "project_id": project.ID})
	return row.record(), engine.OrAbsentRow(err, "item")
}

// CreateItem implements storage.ItemStore.
func (s *Tree) CreateItem(ctx context.Context, change storage.Change, projectID string, item storage.Item, first storage.NewVersion) (storage.ItemWithTip, error) {
	var made storage.ItemWithTip
	err := s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		if err := tx.once(ctx, change, item.ID); err != nil {
			return err
		}
		parent, err := tx.parentSpot(ctx, project, item.FolderID)
		if err != nil {
			return err
		}
		row := newItemRow{
			UID: item.ID, ProjectID: project.ID, FolderID: parent.ID, Name: item.Name, NameKey: textkey.Fold(item.Name),
			ExtensionRow: hubs.NewExtensionRow(item.Extension), StampRow: hubs.NewStamp(change),
		}
		id, err := tx.addItem(ctx, row)
		if err != nil {
			return err
		}
		tip, err := tx.addVersion(ctx, change, project, itemState{ID: id, UID: item.ID, Tip: 1}, first)
		if err != nil {
			return err
		}
		if err := tx.note(ctx, change, parent, 1); err != nil {
			return err
		}
		made = storage.ItemWithTip{Item: row.record(project, parent), Tip: tip.record(item.ID)}
		return tx.Tell(ctx, change, storage.EventItemCreated, project.About(item.ID, item.FolderID), engine.Detail{"name": item.Name})
	})
	return made, err
}

func (t tx) addItem(ctx context.Context, row newItemRow) (int64, error) {
	var ids []int64
	if err := t.List(ctx, &ids, insertItem, row); err != nil {
		return 0, err
	}
	if len(ids) > 0 {
		return ids[0], nil
	}
	idTaken, err := t.Lock(ctx, selectItemUID, row.UID)
	if err != nil {
		return 0, err
	}
	if idTaken {
		return 0, fault.New(fault.Conflict, "", "There is an item with this id already.")
	}
	return 0, nameTaken("item")
}

// UpdateItem implements storage.ItemStore.
func (s *Tree) UpdateItem(ctx context.Context, change storage.Change, projectID, itemID string, patch storage.ItemPatch) (storage.ItemWithTip, error) {
	var done storage.ItemWithTip
	err := s.inOpenProject(ctx, projectID, hubs.Together, func(tx tx, project hubs.ProjectRow) error {
		was, err := tx.freeItem(ctx, change, project, itemID)
		if err != nil {
			return err
		}
		if err := checkSeen(change, was.Revision); err != nil {
			return err
		}
		now := was.patched(patch)
		if now != was {
			if err := tx.changeItem(ctx, change, project, was, now); err != nil {
				return err
			}
		}
		done, err = tx.wholeItem(ctx, project, itemID)
		return err
	})
	return done, err
}

func (i itemState) patched(patch storage.ItemPatch) itemState {
	if patch.Name != nil {
		i.Name, i.NameKey = *patch.Name, textkey.Fold(*patch.Name)
	}
	if patch.FolderID != nil {
		i.FolderUID = *patch.FolderID
	}
	if patch.Hidden != nil {
		i.Hidden = *patch.Hidden
	}
	if patch.ExtensionData != nil {
		i.Data = *patch.ExtensionData
	}
	return i
}

// changeItem writes what has changed of an item, lets its folders know, and
// tells of it.
func (t tx) changeItem(ctx context.Context, change storage.Change, project hubs.ProjectRow, was, now itemState) error {
	from, to := was.spot(), was.spot()
	if now.FolderUID != was.FolderUID {
		var err error
		if to, err = t.parentSpot(ctx, project, now.FolderUID); err != nil {
			return err
		}
	}
	_, err := t.Exec(ctx, updateItem, engine.Args{
		"id": was.ID, "name": now.Name, "name_key": now.NameKey, "folder_id": to.ID, "hidden": now.Hidden,
		"extension_data": now.Data, "tip": now.Tip, "at": engine.At(change.At), "by": change.Caller.UserID,
	})
	if engine.IsDuplicate(err) {
		return nameTaken("item")
	}
	if err != nil {
		return err
	}
	if err := t.noteItem(ctx, change, from, to, was.Hidden, now.Hidden); err != nil {
		return err
	}
	return t.tellAll(ctx, change, project.About(was.UID, now.FolderUID), changeKinds{
		renamed: storage.EventItemRenamed, moved: storage.EventItemMoved, hidden: storage.EventItemHidden,
		restored: storage.EventItemRestored, updated: storage.EventItemUpdated,
	}, was.facets(), now.facets())
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
