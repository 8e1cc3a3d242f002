package storagetest

import (
	"fmt"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func bulkChecks() []treeCheck {
	return []treeCheck{
		{"LoadTree makes what the acts one by one would have made", loadTree},
		{"LoadTree loads all or nothing", loadTreeRefused},
	}
}

// bulkTree is a tree of n folders below Project Files, each in the one before
// up to a depth of five, with two items each.
func (w *Tree) bulkTree(n int) storage.BulkTree {
	made := w.Now()
	folders := func(yield func(storage.BulkFolder) bool) {
		for i := range n {
			parent := i - 1
			if i%5 == 0 {
				parent = -1
			}
			if !yield(storage.BulkFolder{ID: fmt.Sprint("folder", i), Parent: parent, Name: fmt.Sprint("F", i),
				CreatedAt: made, CreatedBy: "U"}) {
				return
			}
		}
	}
	items := func(yield func(storage.BulkItem) bool) {
		for i := range 2 * n {
			if !yield(storage.BulkItem{
				ID: fmt.Sprint("item", i), Folder: i / 2, Name: fmt.Sprint("I", i), CreatedAt: made, CreatedBy: "U",
				Versions: 1 + i%3, MimeType: "text/plain", FileType: "txt", Size: 9,
			}) {
				return
			}
		}
	}
	return storage.BulkTree{
		FolderType: "folders:portico.core:Folder", ItemType: "items:portico.core:File",
		VersionType: "versions:portico.core:File",
		Folders:     folders, Items: items,
	}
}

func loadTree(w *Tree) {
	w.Clock.Advance(1000)
	tree := w.bulkTree(23)
	made := w.Now()
	w.Must(w.Data.LoadTree(w.Ctx(), w.Change(), w.Project.ID, tree))
	w.Equal(7, w.Look(w.Project.RootFolderID).ObjectCount)
	w.Equal([]string{"F5", "F6", "F7"}, w.way("folder7"))
	folder := w.Look("folder7")
	stamp := storage.Stamp{CreatedAt: made, CreatedBy: "U", ModifiedAt: made, ModifiedBy: "U"}
	w.Equal(storage.Folder{
		ID: "folder7", ProjectID: w.Project.ID, ParentID: "folder6", Name: "F7", Kind: storage.FolderNormal,
		Depth: 3, Visible: true,
		Extension: storage.Extension{Type: "folders:portico.core:Folder", Version: "1.0"}, Revision: 1, Stamp: stamp,
		RollupAt: made, ObjectCount: 3,
	}, folder)
	w.Equal([]string{"F8/", "I14", "I15"}, w.Names("folder7", storage.ContentsQuery{}))
	item := w.LookItem("item14")
	w.Equal([]any{3, 3, int64(9), "I14"}, []any{item.Item.Tip, item.Tip.Number, item.Tip.Size, item.Tip.Name})
	w.Equal([]int{3, 2, 1}, w.numbers("item14", storage.VersionQuery{}, 9))
	w.Folder("folder7", "after") // ids of later acts don't clash
	w.Item("folder7", "after.txt")
	w.Equal(5, w.Look("folder7").ObjectCount)
	w.Told(w.Project.ID, storage.EventProjectLoaded, storage.EventProjectCreated)
}

func loadTreeRefused(w *Tree) {
	try := func(folders ...storage.BulkFolder) func() error {
		return func() error {
			return w.Data.LoadTree(w.Ctx(), w.Change(), w.Project.ID, storage.BulkTree{Folders: slices.Values(folders)})
		}
	}
	deep := []storage.BulkFolder{}
	for i := range storage.MaxDepth + 1 {
		deep = append(deep, storage.BulkFolder{ID: fmt.Sprint(i), Parent: i - 1, Name: "n", CreatedAt: w.Now()})
	}
	w.Unchanged(fault.Invalid, storage.ReasonTooDeep, try(deep...))
	w.Unchanged(fault.Invalid, "", try(storage.BulkFolder{ID: "a", Parent: 0, Name: "a", CreatedAt: w.Now()}))
	w.Unchanged(fault.Conflict, storage.ReasonNameTaken,
		try(storage.BulkFolder{ID: "a", Parent: -1, Name: "plans", CreatedAt: w.Now()}))
	w.Unchanged(fault.Conflict, "", try(storage.BulkFolder{ID: w.Plans.ID, Parent: -1, Name: "a", CreatedAt: w.Now()}))
	w.Equal([]string{"Plans/", "Project Files/"}, w.Names(w.Project.RootFolderID, storage.ContentsQuery{}))
	w.Must(try(deep[:storage.MaxDepth]...)())
}
