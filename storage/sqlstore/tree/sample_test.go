package tree_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/storagetest"
)

// bench is a tree large enough to tell an index from a scan: one folder with
// half of the items, and a chain to depth 25 with a user's grants all over.
type bench struct {
	*storagetest.Tree
	user string
	wide string // uid of the wide folder
	deep string // uid of a folder at depth 25
	item string // uid of an item in the deep folder
}

func newBench(b testing.TB, engine storagetest.Engine, folders, items int) *bench {
	b.Helper()
	w := &bench{Tree: storagetest.NewTree(b, engine), wide: "wide", deep: "folder24", item: "item24"}
	start := time.Now()
	w.Must(w.Data.LoadTree(w.Ctx(), w.Change(), w.Project.ID, benchTree(w.Now(), folders, items)))
	b.Logf("loaded %d folders and %d items in %v", folders, items, time.Since(start).Round(time.Millisecond))
	w.user = w.User().ID
	for i := range 1000 {
		w.Give(fmt.Sprint("folder", 26+i%(folders-26)), w.user, storage.LevelView)
	}
	w.Give("folder20", w.user, storage.LevelEdit)
	return w
}

// benchTree has a chain of 25, the wide folder, and all others in folders of
// ten each.
func benchTree(made time.Time, folders, items int) storage.BulkTree {
	return storage.BulkTree{
		FolderType: "folders:portico.core:Folder", ItemType: "items:portico.core:File",
		VersionType: "versions:portico.core:File",
		Folders: func(yield func(storage.BulkFolder) bool) {
			for i := range folders {
				f := storage.BulkFolder{ID: fmt.Sprint("folder", i), Parent: i - 1, Name: fmt.Sprint("Folder ", i), CreatedAt: made}
				switch {
				case i == 0:
				case i == 25:
					f.ID, f.Parent = "wide", -1
				case i > 25:
					f.Parent = 25 + (i-26)/10
				}
				if i > 25 && f.Parent == 25 {
					f.Parent = -1
				}
				if !yield(f) {
					return
				}
			}
		},
		Items: func(yield func(storage.BulkItem) bool) {
			for i := range items {
				f := storage.BulkItem{
					ID: fmt.Sprint("item", i), Folder: i % folders, Name: fmt.Sprintf("Item %d.pdf", i), CreatedAt: made,
					Versions: 1 + i%3, MimeType: "application/pdf", FileType: "pdf", Size: 1000,
				}
				if i >= items/2 {
					f.Folder = 25
				}
				if !yield(f) {
					return
				}
			}
		},
	}
}
