package storagetest

import (
	"fmt"
	"time"

	"github.com/portico-id/portico/storage"
)

// contentsAgain reads a folder with enough in it to be kept, in two stores, before and
// after everything that somebody may change in it, below it and above it in the first:
// while time passes, and while it stands still.
func contentsAgain(w *Tree) {
	above := w.Folder(w.Files.ID, "above")
	in := w.Folder(above.ID, "in")
	for i := range 12 {
		w.Folder(in.ID, fmt.Sprint("f", i))
		w.Item(in.ID, fmt.Sprint("i", i))
	}
	another, all := w.both(w.Second(fewConns)), storage.ContentsQuery{Hidden: storage.HiddenIncluded, Newest: true}
	compare := func(what any) {
		w.asNeverRead(w.Data, in.ID, all)
		w.asNeverRead(another, in.ID, storage.ContentsQuery{Descending: true})
		w.asNeverRead(another, w.Files.ID, storage.ContentsQuery{})
		if w.Failed() {
			w.Fatalf("after %v", what)
		}
	}
	for _, passes := range []time.Duration{0, time.Second} { // besides the second of each change
		for i, change := range w.changesOfContents(above, in) {
			w.Clock.Advance(passes - time.Second)
			w.Must(change())
			compare(i)
		}
	}
	for name, change := range w.changesOfTheTree() {
		_ = change() // some are in the way of others
		compare(name)
	}
}

// changesOfContents are those of a folder in another one, each of which is seen in the one
// or the other.
func (w *Tree) changesOfContents(above, in storage.Folder) []func() error {
	name := w.Source.UID()
	folder, item, user := w.Folder(in.ID, name), w.Item(in.ID, name).Item.ID, w.User().ID
	below, ref := w.Folder(folder.ID, "below"), storage.VersionRef{ItemID: item, Number: 1}
	edit := func(patch storage.FolderPatch) func() error {
		return func() error { w.Edit(folder.ID, patch); return nil }
	}
	patch := func(patch storage.ItemPatch) func() error { return func() error { return w.patchItem(item, patch) } }
	hide := func(folderID string, hidden bool) func() error {
		return func() error { w.hide(folderID, hidden); return nil }
	}
	return []func() error{
		func() error { return nil }, // it is kept now
		edit(storage.FolderPatch{Name: ptr("f " + name)}), edit(storage.FolderPatch{ExtensionData: ptr(`{"own": 1}`)}),
		patch(storage.ItemPatch{Name: ptr("i " + name)}), patch(storage.ItemPatch{ExtensionData: ptr(`{"own": 1}`)}),
		func() error { return w.state(item, 1, storage.VersionState{State: "shared"}) },
		func() error {
			_, err := w.Data.RenameVersion(w.Ctx(), w.Change(), w.Project.ID, ref, "v "+name)
			return err
		},
		func() error {
			_, err := w.Data.ReserveItem(w.Ctx(), w.ChangeBy(user), w.Project.ID, item)
			return err
		},
		func() error { w.Item(below.ID, name); return nil },
		func() error { w.Item(folder.ID, name); return nil },
		func() error { w.foldAll(); return nil },
		hide(folder.ID, true),
		func() error { return w.move(in.ID, w.Plans.ID) },
		func() error { return w.move(in.ID, above.ID) },
		hide(above.ID, true), hide(above.ID, false),
	}
}

// asNeverRead compares what is in a folder, on all pages, with what it is by a query that
// narrows it by nothing, whose pages nobody keeps.
func (w *Tree) asNeverRead(store storage.Store, folder string, query storage.ContentsQuery) {
	w.Helper()
	narrowed := query
	narrowed.Rollup = []storage.TimeCondition{{Op: storage.OpAtLeast, Values: []time.Time{time.Unix(0, 0)}}}
	page := storage.DataPage{Limit: 17}
	for more := true; more; more = page.After != "" {
		contents, err := store.ListContents(w.Ctx(), w.Project.ID, folder, query, page)
		w.Must(err)
		want, err := store.ListContents(w.Ctx(), w.Project.ID, folder, narrowed, page)
		w.Must(err)
		w.Equal(want, contents)
		page.After = contents.Next
	}
}
