package tree

import (
	"cmp"
	"context"
	"iter"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
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
	return s.inOpenProject(ctx, projectID, hubs.Alone, func(tx tx, project hubs.ProjectRow) error {
		l := &loader{tx: tx, change: change, project: project, tree: tree, below: map[int]news{}}
		into := cmp.Or(tree.Into, project.RootUID)
		if err := tx.Get(ctx, &l.root, selectSpot, engine.Args{"uid": into, "project_id": project.ID}); err != nil {
			return engine.OrAbsentRow(err, "folder")
		}
		if _, err := tx.Exec(ctx, `{lift timeout}`, engine.Args{}); err != nil {
			return err
		}
		err := l.load(ctx)
		if engine.IsDuplicate(err) {
			return fault.New(fault.Conflict, storage.ReasonNameTaken, "An id, or a name in its folder, is taken.").Because(err)
		}
		return err
	})
}

func (l *loader) load(ctx context.Context) error {
	if err := l.loadFolders(ctx); err != nil {
		return err
	}
	if err := l.loadItems(ctx); err != nil {
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

func (l *loader) loadFolders(ctx context.Context) error {
	for batch := range batches(l.tree.Folders) {
		ids, err := l.tx.NewIDs(ctx, "folders", len(batch))
		if err != nil {
			return err
		}
		if err := l.addFolders(ctx, batch, ids); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) addFolders(ctx context.Context, batch []storage.BulkFolder, ids []int64) error {
	rows := engine.Table{Name: "folders", Columns: []string{
		"id", "uid", "project_id", "parent_id", "name", "name_key", "kind", "hidden", "extension_type", "extension_version",
		"extension_data", "revision", "created_at", "created_by", "modified_at", "modified_by", "rollup_at", "object_count",
	}}
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
		made := f.CreatedAt.UnixMicro()
		l.tellParent(f.Parent, made)
		rows.Add(folder.ID, f.ID, l.project.ID, parent.ID, f.Name, textkey.Fold(f.Name), storage.FolderNormal, false,
			l.tree.FolderType, "1.0", "", 1, made, f.CreatedBy, made, f.CreatedBy, made, 0)
		paths.Add(folder.ID, folder.Path, true)
	}
	if err := l.tx.InsertAll(ctx, rows); err != nil {
		return err
	}
	return l.tx.InsertAll(ctx, paths)
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

func (l *loader) loadItems(ctx context.Context) error {
	for batch := range batches(l.tree.Items) {
		ids, err := l.tx.NewIDs(ctx, "items", len(batch))
		if err != nil {
			return err
		}
		if err := l.addItems(ctx, batch, ids); err != nil {
			return err
		}
		l.items += len(batch)
	}
	return nil
}

func (l *loader) addItems(ctx context.Context, batch []storage.BulkItem, ids []int64) error {
	rows := engine.Table{Name: "items", Columns: []string{
		"id", "uid", "project_id", "folder_id", "name", "name_key", "hidden", "tip", "extension_type", "extension_version",
		"extension_data", "revision", "created_at", "created_by", "modified_at", "modified_by", "reserved_by",
	}}
	versions := engine.Table{Name: "versions", Columns: []string{
		"item_id", "number", "project_id", "name", "name_key", "mime_type", "file_type", "size", "extension_type", "extension_version",
		"extension_data", "revision", "created_at", "created_by", "modified_at", "modified_by",
	}}
	for i, item := range batch {
		folder, err := l.parentOf(item.Folder)
		if err != nil {
			return err
		}
		made, tip := item.CreatedAt.UnixMicro(), max(1, item.Versions)
		l.tellParent(item.Folder, made)
		rows.Add(ids[i], item.ID, l.project.ID, folder.ID, item.Name, textkey.Fold(item.Name), false, tip,
			l.tree.ItemType, "1.0", "", tip, made, item.CreatedBy, made, item.CreatedBy, "")
		for number := 1; number <= tip; number++ {
			versions.Add(ids[i], number, l.project.ID, item.Name, textkey.Fold(item.Name), item.MimeType, item.FileType, item.Size,
				l.tree.VersionType, "1.0", "", 1, made, item.CreatedBy, made, item.CreatedBy)
		}
	}
	if err := l.tx.InsertAll(ctx, rows); err != nil {
		return err
	}
	return l.tx.InsertAll(ctx, versions)
}

// settle gives the folders, and the root, their counts and rollup times.
func (l *loader) settle(ctx context.Context) error {
	all := map[int64]news{}
	for index, n := range l.below {
		folder, err := l.parentOf(index)
		if err != nil {
			return err
		}
		above, err := idsOf(folder.Path)
		if err != nil {
			return err
		}
		for _, id := range above {
			m := all[id]
			m.at = max(m.at, n.at)
			if id == folder.ID {
				m.objects += n.objects
			}
			all[id] = m
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
