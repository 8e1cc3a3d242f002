package storagetest

import (
	"slices"
	"strconv"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func archiveChecks() []treeCheck {
	return []treeCheck{
		{"what is packed of a folder is what can be seen below it", packedBelow},
		{"a choice is packed alone, and lies in the folder", packedChoice},
		{"an archive is found with its pages until it expires or ends", archives},
		{"an owner's oldest archives go", oldestArchives},
		{"something found in any of the bytes is told", anyInfected},
	}
}

// stored adds an item with bytes.
func (w *Tree) stored(folder, name string) string {
	w.Helper()
	w.Must(w.store(name, 7))
	version := newVersion(name)
	version.Bucket, version.ObjectKey = "b", name
	made, err := w.Data.CreateItem(w.Ctx(), w.Change(), w.Project.ID, newItem("of "+name, folder, name), version)
	w.Must(err)
	return made.Item.ID
}

// packed are the names of what is packed, sorted.
func (w *Tree) packed(folder string, choice *storage.ArchiveChoice, limit int) (folders, files []string) {
	w.Helper()
	some, all, err := w.Data.ListPacked(w.Ctx(), w.Project.ID, folder, choice, limit)
	w.Must(err)
	for _, f := range some {
		folders = append(folders, f.Name)
	}
	for _, f := range all {
		files = append(files, f.Name)
	}
	slices.Sort(folders)
	slices.Sort(files)
	return folders, files
}

func packedBelow(w *Tree) {
	top, other := w.Folder(w.Files.ID, "top"), w.Folder(w.Files.ID, "other")
	below := w.Folder(top.ID, "below")
	w.stored(other.ID, "elsewhere.txt")
	file := w.stored(below.ID, "file.txt")
	w.Item(top.ID, "empty.txt")
	gone := w.stored(top.ID, "gone.txt")
	yes := true
	w.Must(w.patchItem(gone, storage.ItemPatch{Hidden: &yes}))
	w.stored(w.Folder(top.ID, "hidden").ID, "inside.txt")
	folders, files := w.packed(top.ID, nil, 10)
	w.Equal([]string{"below", "hidden", "top"}, folders)
	w.Equal([]string{"empty.txt", "file.txt", "inside.txt"}, files)
	hidden, _, err := w.Data.ListPacked(w.Ctx(), w.Project.ID, top.ID, nil, 10)
	w.Must(err)
	w.hide(hidden[slices.IndexFunc(hidden, func(f storage.PackedFolder) bool { return f.Name == "hidden" })].ID, true)
	folders, files = w.packed(top.ID, nil, 10)
	w.Equal([]string{"below", "top"}, folders)
	w.Equal([]string{"empty.txt", "file.txt"}, files)
	_, files = w.packed(top.ID, nil, 0)
	w.Equal(1, len(files))

	some, all, err := w.Data.ListPacked(w.Ctx(), w.Project.ID, below.ID, nil, 10)
	w.Must(err)
	w.Equal(below.ID, some[0].ID)
	w.Equal(storage.PackedFile{FolderKey: some[0].Key, ItemID: file, Name: "file.txt",
		CreatedAt: all[0].CreatedAt, Stored: true,
		Bytes: storage.Bytes{Blob: "blob of file.txt", Size: 7}}, all[0])
	w.hide(top.ID, true)
	_, _, err = w.Data.ListPacked(w.Ctx(), w.Project.ID, below.ID, nil, 10)
	w.Refused(err, fault.NotFound, "")
}

func packedChoice(w *Tree) {
	top := w.Folder(w.Files.ID, "top")
	below := w.Folder(top.ID, "below")
	deep := w.stored(w.Folder(below.ID, "deep").ID, "deep.txt")
	one, _ := w.stored(top.ID, "one.txt"), w.stored(top.ID, "two.txt")
	folders, files := w.packed(top.ID, &storage.ArchiveChoice{FolderIDs: []string{below.ID}, ItemIDs: []string{one}}, 10)
	w.Equal([]string{"below", "deep", "top"}, folders)
	w.Equal([]string{"deep.txt", "one.txt"}, files)
	for _, choice := range []storage.ArchiveChoice{
		{ItemIDs: []string{deep}}, {ItemIDs: []string{one, "none"}}, {FolderIDs: []string{w.Files.ID}},
		{FolderIDs: []string{"none"}},
	} {
		_, _, err := w.Data.ListPacked(w.Ctx(), w.Project.ID, top.ID, &choice, 10)
		w.Refused(err, fault.NotFound, "chosen_not_found")
	}
}

// archive adds an archive of two pages, and returns it.
func (w *Tree) archive(id string, at time.Time) storage.Archive {
	w.Helper()
	a := storage.Archive{ID: id, ProjectID: w.Project.ID, Owner: "somebody", Name: "n.zip",
		Files: 2, Missing: 1, Size: 130,
		Central: 100, CreatedAt: at, ExpiresAt: at.Add(time.Hour)}
	w.Must(w.Data.CreateArchive(w.Ctx(), a, []storage.ArchivePage{
		{Start: 0, Central: 100, Entries: []byte("first")}, {Start: 60, Central: 115, Entries: []byte("second")},
	}))
	return a
}

func archives(w *Tree) {
	now := w.Now()
	a := w.archive("one", now)
	found, err := w.Data.FindArchive(w.Ctx(), "one", now.Add(time.Hour-time.Microsecond))
	w.Must(err)
	w.Equal(a, found)
	for at, want := range map[int64]string{0: "first", 59: "first", 60: "second", 99: "second",
		100: "first", 129: "second"} {
		page, err := w.Data.FindArchivePage(w.Ctx(), a, at)
		w.Must(err)
		w.Equal(want, string(page.Entries))
	}
	_, err = w.Data.FindArchive(w.Ctx(), "one", now.Add(time.Hour))
	w.Refused(err, fault.NotFound, "")
	for i, at := range []time.Time{now.Add(2 * time.Hour), now.Add(time.Hour + storage.KeepSpent)} { // the clock is ahead
		n, err := w.Data.SweepArchives(w.Ctx(), at, 10)
		w.Must(err)
		w.Equal(i, n)
	}
	w.archive("two", now)
	w.Must(w.Data.EndArchive(w.Ctx(), "two"))
	w.Must(w.Data.EndArchive(w.Ctx(), "two"))
	_, err = w.Data.FindArchive(w.Ctx(), "two", now)
	w.Refused(err, fault.NotFound, "")
	_, err = w.Data.FindArchivePage(w.Ctx(), a, 0)
	w.Refused(err, fault.NotFound, "")
	a.ProjectID = "b.none"
	w.Refused(w.Data.CreateArchive(w.Ctx(), a, nil), fault.NotFound, "")
}

func oldestArchives(w *Tree) {
	now := w.Now()
	for i := range storage.MaxArchives + 1 {
		w.archive(strconv.Itoa(i), now.Add(time.Duration(i)*time.Second))
	}
	_, err := w.Data.FindArchive(w.Ctx(), "0", now)
	w.Refused(err, fault.NotFound, "")
	_, err = w.Data.FindArchive(w.Ctx(), "1", now)
	w.Must(err)
}

func anyInfected(w *Tree) {
	w.Must(w.store("good", 1))
	w.reserve("bad")
	_, err := w.Data.StoreBytes(w.Ctx(), w.Change(), "b", "bad",
		storage.Bytes{Blob: "blob of bad", Size: 1, Scan: storage.ScanPending})
	w.Must(err)
	ask := func() bool {
		any, err := w.Data.AnyInfected(w.Ctx(), []string{"blob of good", "blob of bad", "none"})
		w.Must(err)
		return any
	}
	w.Equal(false, ask())
	w.Must(w.Data.EndScan(w.Ctx(), w.Change().Act, "b", "bad", "X"))
	w.Equal(true, ask())
}
