package storagetest

import (
	"fmt"
	"time"

	"github.com/portico-id/portico/storage"
)

func rollupChecks() []treeCheck {
	return []treeCheck{
		{"a change below is in the rollup time of every folder above as soon as it is made, and after folding", rollupTimes},
		{"FoldChanges takes at most limit changes, and readers see the same throughout", foldChanges},
		{"a move carries what is noted below along", rollupMoves},
	}
}

func (w *Tree) foldAll() {
	w.Helper()
	for {
		n, err := w.Data.FoldChanges(w.Ctx(), 3)
		w.Must(err)
		if n < 3 {
			return
		}
	}
}

func rollupTimes(w *Tree) {
	chain := w.Chain(w.Files.ID, 3)
	beside := w.Folder(w.Files.ID, "beside")
	item := w.Item(chain[2].ID, "a.txt")
	user := w.User().ID
	for name, change := range map[string]func(storage.Change) error{
		"new version": func(c storage.Change) error {
			_, err := w.Data.AddVersion(w.Ctx(), c, w.Project.ID, item.Item.ID, newVersion("v"))
			return err
		},
		"renamed item": func(c storage.Change) error {
			_, err := w.Data.UpdateItem(w.Ctx(), c, w.Project.ID, item.Item.ID, storage.ItemPatch{Name: ptr("b.txt")})
			return err
		},
		"renamed version": func(c storage.Change) error {
			_, err := w.Data.RenameVersion(w.Ctx(), c, w.Project.ID, storage.VersionRef{ItemID: item.Item.ID, Number: 1}, "x")
			return err
		},
		"new folder": func(c storage.Change) error {
			_, err := w.Data.CreateFolder(w.Ctx(), c, w.Project.ID,
				storage.Folder{ID: "new", ParentID: chain[2].ID, Name: "new"})
			return err
		},
		"renamed folder": func(c storage.Change) error {
			_, err := w.Data.UpdateFolder(w.Ctx(), c, w.Project.ID, chain[2].ID, storage.FolderPatch{Name: ptr("renamed")})
			return err
		},
	} {
		before := w.Look(beside.ID).RollupAt
		c := w.ChangeBy(user)
		w.Must(change(c))
		for range 2 {
			for _, f := range append(chain, w.Files, w.Look(w.Project.RootFolderID)) {
				if got := w.Look(f.ID).RollupAt; !got.Equal(c.At) {
					w.Errorf("%s: rollup time of %s is %v, want %v", name, f.Name, got, c.At)
				}
			}
			w.foldAll()
		}
		w.Equal(before, w.Look(beside.ID).RollupAt)
	}
	w.Equal(chain[0].ModifiedAt, w.Look(chain[0].ID).ModifiedAt)
}

func foldChanges(w *Tree) {
	folder := w.Folder(w.Files.ID, "f")
	for i := range 7 {
		w.Item(folder.ID, fmt.Sprint(i))
	}
	want := w.Look(folder.ID)
	w.Equal(7, want.ObjectCount)
	total := 0
	for {
		n, err := w.Data.FoldChanges(w.Ctx(), 2)
		w.Must(err)
		if n > 2 {
			w.Errorf("folded %d at once", n)
		}
		total += n
		w.Equal(want, w.Look(folder.ID))
		contents, err := w.Data.ListContents(w.Ctx(), w.Project.ID, w.Files.ID, storage.ContentsQuery{}, storage.DataPage{})
		w.Must(err)
		w.Equal([]storage.Folder{want}, contents.Folders)
		if n < 2 {
			break
		}
	}
	n, err := w.Data.FoldChanges(w.Ctx(), 2)
	w.Must(err)
	w.Equal(0, n)
	w.Clock.Advance(time.Hour)
}

func rollupMoves(w *Tree) {
	folder := w.Folder(w.Files.ID, "f")
	w.foldAll()
	w.Item(folder.ID, "a.txt")
	w.Must(w.move(folder.ID, w.Plans.ID))
	moved := w.Now()
	later := w.Item(folder.ID, "b.txt").Item.CreatedAt
	for range 2 {
		w.Equal(moved, w.Look(w.Files.ID).RollupAt)
		w.Equal(later, w.Look(w.Plans.ID).RollupAt)
		w.Equal([]int{2, 0, 1}, []int{w.Look(folder.ID).ObjectCount, w.Look(w.Files.ID).ObjectCount,
			w.Look(w.Plans.ID).ObjectCount})
		w.foldAll()
	}
}
