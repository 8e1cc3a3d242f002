package sqlstore_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/pgtest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/storagetest"
)

// itemsVariable says how many items the benchmarks of the tree load.
const itemsVariable = "PORTICO_BENCH_ITEMS"

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
		FolderType: "folders:portico.core:Folder", ItemType: "items:portico.core:File", VersionType: "versions:portico.core:File",
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

func BenchmarkTreeOnSQLite(b *testing.B) {
	items := setting(b, itemsVariable, 20_000)
	benchmarkTree(b, newBench(b, onSQLite(), items/10, items))
}

func BenchmarkTreeOnPostgreSQL(b *testing.B) {
	items := setting(b, itemsVariable, 20_000)
	url := pgtest.URL(b)
	engine := onPostgres()
	engine.NewDatabase = func(testing.TB) string { return url }
	w := newBench(b, engine, items/10, items)
	analyze(b, url) // as its own upkeep would have done by then
	benchmarkTree(b, w)
}

// analyze gathers statistics, which the tests' server leaves alone.
func analyze(t testing.TB, url string) {
	t.Helper()
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `VACUUM ANALYZE`); err != nil {
		t.Fatal(err)
	}
}

func benchmarkTree(b *testing.B, w *bench) {
	caller := storage.Caller{UserID: w.user}
	place, err := w.Data.FindProject(w.Ctx(), caller, w.Project.ID)
	w.Must(err)
	middle, err := w.Data.ListContents(w.Ctx(), w.Project.ID, w.wide, storage.ContentsQuery{}, storage.DataPage{Number: 20})
	w.Must(err)
	for _, c := range []struct {
		name string
		read func() error
	}{
		{"folder and level", func() error { _, _, err := w.Data.FindFolder(w.Ctx(), caller, w.Project.ID, w.deep); return err }},
		{"item with tip", func() error { _, _, _, err := w.Data.FindItem(w.Ctx(), caller, w.Project.ID, w.item); return err }},
		{"top folders of 1000 grants", func() error { _, err := w.Data.ListTopFolders(w.Ctx(), place, false); return err }},
		{"first page of contents", func() error { return w.page(storage.DataPage{}) }},
		{"page of contents after a cursor", func() error { return w.page(storage.DataPage{After: middle.Next}) }},
		{"page of contents by number", func() error { return w.page(storage.DataPage{Number: 20}) }},
		{"versions", func() error {
			_, _, err := w.Data.ListVersions(w.Ctx(), w.Project.ID, w.item, storage.VersionQuery{}, storage.DataPage{})
			return err
		}},
		{"new item", func() error {
			id := w.Source.UID()
			_, err := w.Data.CreateItem(w.Ctx(), w.Change(), w.Project.ID, storage.Item{ID: id, FolderID: w.deep, Name: id}, storage.NewVersion{Name: id})
			return err
		}},
		{"new version", func() error {
			_, err := w.Data.AddVersion(w.Ctx(), w.Change(), w.Project.ID, w.item, storage.NewVersion{Name: "v"})
			return err
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := c.read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func (w *bench) page(page storage.DataPage) error {
	_, err := w.Data.ListContents(w.Ctx(), w.Project.ID, w.wide, storage.ContentsQuery{}, page)
	return err
}
