package tree

import (
	"cmp"
	"context"
	"iter"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// batchSize is how many folders or items are added at a time.
const batchSize = 10_000

// loader adds a tree to a project.
type loader struct {
	tx      tx
	change  storage.Change
	project hubs.ProjectRow
	tree    storage.BulkTree
	root    spot         // what all goes into
	folders []spot       // in the order in which they came
	below   map[int]news // by folder: what lies directly in it, and the newest of it; -1 is the root
	items   int
}

// LoadTree implements storage.BulkStore.
func (s *Tree) LoadTree(ctx context.Context, change storage.Change, projectID string, tree storage.BulkTree) error {
	ctx = engine.Unhurried(ctx)
	return s.inOpenProject(ctx, projectID, hubs.Alone, func(tx tx, project hubs.ProjectRow) error {
		l := &loader{tx: tx, change: change, project: project, tree: tree, below: map[int]news{}}
		into := cmp.Or(tree.Into, project.RootUID)
		if err := tx.Get(ctx, &l.root, selectSpot, engine.Args{"uid": into, "project_id": project.ID}); err != nil {
			return engine.OrAbsentRow(err, "folder")
		}
		err := l.load(ctx)
		if engine.IsDuplicate(err) {
			return fault.New(fault.Conflict, storage.ReasonNameTaken, "An id, or a name in its folder, is taken.").Because(err)
		}
		return err
	})
}

func (l *loader) load(ctx context.Context) error {
	if err := inBatches(ctx, l, "folders", l.tree.Folders, l.addFolders); err != nil {
		return err
	}
	if err := inBatches(ctx, l, "items", l.tree.Items, l.addItems); err != nil {
		return err
	}
	if err := l.settle(ctx); err != nil {
		return err
	}
	if _, err := l.tx.Exec(ctx, `{analyze tree}`, engine.Args{}); err != nil {
		return err
	}
	return l.tx.Tell(ctx, l.change, storage.EventProjectLoaded, l.project.Event(),
		engine.Detail{"folders": len(l.folders), "items": l.items})
}

// inBatches adds the rows of a table, with the keys that they will have.
func inBatches[T any](ctx context.Context, l *loader, table string, all iter.Seq[T],
	add func(context.Context, []T, []int64) error) error {
	for batch := range batches(all) {
		ids, err := l.tx.NewIDs(ctx, table, len(batch))
		if err == nil {
			err = add(ctx, batch, ids)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) addFolders(ctx context.Context, batch []storage.BulkFolder, ids []int64) error {
	var rows []folderRow
	paths := engine.Table{Name: "folder_paths", Columns: []string{"folder_id", "path", "visible"}}
	for i, f := range batch {
		parent, err := l.parentOf(f.Parent)
		if err != nil {
			return err
		}
		folder := spot{ID: ids[i], UID: f.ID, Path: parent.Path + segment(ids[i]), Visible: true}
		if depthOf(folder.Path) > storage.MaxDepth {
			return tooDeep()
		}
		l.folders = append(l.folders, folder)
		l.tellParent(f.Parent, f.CreatedAt.UnixMicro())
		stamp := storage.Stamp{CreatedAt: f.CreatedAt, CreatedBy: f.CreatedBy, ModifiedAt: f.CreatedAt,
			ModifiedBy: f.CreatedBy}
		row := newFolder(stamp, l.project, storage.Folder{ID: f.ID, Name: f.Name, Kind: storage.FolderNormal,
			Extension: extensionOf(l.tree.FolderType)})
		row.Key, row.ParentKey = folder.ID, &parent.ID
		rows = append(rows, row)
		paths.Add(folder.ID, folder.Path, true)
	}
	if err := insertRows(ctx, l.tx, "folders", "id=key, "+newFolderColumns, rows); err != nil {
		return err
	}
	return l.tx.InsertAll(ctx, paths)
}

// extensionOf is what is loaded has: a type without data.
func extensionOf(kind string) storage.Extension { return storage.Extension{Type: kind, Version: "1.0"} }

// insertRows adds rows as fast as the engine can.
func insertRows[R any](ctx context.Context, t tx, table, columns string, rows []R) error {
	all, err := engine.TableOf(t.Tx.Tx, table, columns, rows)
	if err != nil {
		return err
	}
	return t.InsertAll(ctx, all)
}

func (l *loader) parentOf(index int) (spot, error) {
	if index == -1 {
		return l.root, nil
	}
	if index < 0 || index >= len(l.folders) {
		return spot{}, fault.New(fault.Invalid, "", "A folder must come before what lies in it.")
	}
	return l.folders[index], nil
}

func (l *loader) tellParent(index int, at int64) {
	n := l.below[index]
	l.below[index] = news{at: max(n.at, at), objects: n.objects + 1}
}

func (l *loader) addItems(ctx context.Context, batch []storage.BulkItem, ids []int64) error {
	l.items += len(batch)
	var rows []itemRow
	var versions []versionRow
	for i, item := range batch {
		folder, err := l.parentOf(item.Folder)
		if err != nil {
			return err
		}
		l.tellParent(item.Folder, item.CreatedAt.UnixMicro())
		stamp := storage.Stamp{CreatedAt: item.CreatedAt, CreatedBy: item.CreatedBy, ModifiedAt: item.CreatedAt,
			ModifiedBy: item.CreatedBy}
		row := newItem(stamp, l.project, folder,
			storage.Item{ID: item.ID, Name: item.Name, Extension: extensionOf(l.tree.ItemType)})
		row.Key, row.Tip = ids[i], max(1, item.Versions)
		row.Revision = int64(row.Tip)
		rows = append(rows, row)
		for number := 1; number <= row.Tip; number++ {
			versions = append(versions, versionRow{ItemKey: row.Key, ProjectKey: row.ProjectKey, NameKey: row.NameKey,
				Version: storage.Version{
					Number: number, Name: item.Name, MimeType: item.MimeType, FileType: item.FileType, Size: item.Size,
					Extension: extensionOf(l.tree.VersionType), Revision: 1, Stamp: stamp,
				}})
		}
	}
	if err := insertRows(ctx, l.tx, "items", "id=key, "+newItemColumns, rows); err != nil {
		return err
	}
	return insertRows(ctx, l.tx, "versions", newVersionColumns, versions)
}

// settle gives the folders, and the root, their counts and rollup times.
func (l *loader) settle(ctx context.Context) error {
	all := bulletin{}
	for index, n := range l.below {
		folder, err := l.parentOf(index)
		if err == nil {
			err = all.add(folder.Path, folder.ID, n)
		}
		if err != nil {
			return err
		}
	}
	return l.tx.fold(ctx, all)
}

// batches cuts a sequence into slices of at most batchSize.
func batches[T any](all iter.Seq[T]) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var batch []T
		if all == nil {
			return
		}
		for one := range all {
			batch = append(batch, one)
			if len(batch) == batchSize {
				if !yield(batch) {
					return
				}
				batch = nil
			}
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}
