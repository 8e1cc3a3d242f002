package storagetest

import (
	"fmt"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func versionChecks() []treeCheck {
	return []treeCheck{
		{"AddVersion adds the next number, which becomes the tip", addVersion},
		{"AddVersion refuses objects that are absent, without bytes or another item's", addVersionObjects},
		{"a version copied shares the bytes, and takes what is left empty from its source", copyVersion},
		{"an item can begin with a copy, and only of the same project", copyIntoItem},
		{"a version that deletes hides the item, and a copy of an older one restores it", deleteAndRestore},
		{"a version can give its name to the item", renameByVersion},
		{"ListVersions pages newest first or oldest first, and narrows by number and extension type", listVersions},
		{"ListSums returns the sums of versions that have bytes", listSums},
		{"RenameVersion changes the name and nothing else", renameVersion},
	}
}

// Version adds a version that must be taken.
func (w *Tree) Version(itemID string, version storage.NewVersion) storage.ItemWithTip {
	w.Helper()
	item, err := w.Data.AddVersion(w.Ctx(), w.Change(), w.Project.ID, itemID, version)
	w.Must(err)
	return item
}

func (w *Tree) tryVersion(itemID string, version storage.NewVersion) func() error {
	return func() error {
		_, err := w.Data.AddVersion(w.Ctx(), w.Change(), w.Project.ID, itemID, version)
		return err
	}
}

func addVersion(w *Tree) {
	item := w.Item(w.Files.ID, "a.txt")
	user := w.User().ID
	change := w.ChangeBy(user)
	got, err := w.Data.AddVersion(w.Ctx(), change, w.Project.ID, item.Item.ID, newVersion("b.txt"))
	w.Must(err)
	stamp := storage.Stamp{CreatedAt: change.At, CreatedBy: user, ModifiedAt: change.At, ModifiedBy: user}
	item.Item.Tip, item.Item.Revision, item.Item.ModifiedAt, item.Item.ModifiedBy = 2, 2, change.At, user
	first := item.Tip
	item.Tip.Number, item.Tip.Name, item.Tip.Stamp = 2, "b.txt", stamp
	w.Equal(item, got)
	w.Equal(item, w.LookItem(item.Item.ID))
	_, _, _, one, err := w.Data.FindVersion(w.Ctx(), storage.Caller{}, w.Project.ID,
		storage.VersionRef{ItemID: item.Item.ID, Number: 1})
	w.Must(err)
	w.Equal(first, one)
	w.Told(item.Item.ID, storage.EventVersionAdded, storage.EventItemCreated)
	w.Unchanged(fault.NotFound, "", w.tryVersion("none", newVersion("x")))
	change.Seen = 1
	w.Unchanged(fault.PreconditionFailed, storage.ReasonChanged, func() error {
		_, err := w.Data.AddVersion(w.Ctx(), change, w.Project.ID, item.Item.ID, newVersion("x"))
		return err
	})
}

func addVersionObjects(w *Tree) {
	item, other := w.Item(w.Files.ID, "a.txt").Item.ID, w.Item(w.Files.ID, "b.txt").Item.ID
	w.Object("k1")
	w.Must(w.Data.ReserveObject(w.Ctx(), w.Change(),
		storage.Object{Bucket: "bucket", Key: "empty", ProjectID: w.Project.ID}))
	with := func(key string) storage.NewVersion {
		v := newVersion("v")
		v.Bucket, v.ObjectKey = "bucket", key
		return v
	}
	w.Unchanged(fault.NotFound, storage.ReasonObjectAbsent, w.tryVersion(item, with("none")))
	w.Unchanged(fault.Invalid, storage.ReasonObjectPending, w.tryVersion(item, with("empty")))
	got := w.Version(item, with("k1"))
	w.Equal([]any{"bucket", "k1", int64(5)}, []any{got.Tip.Bucket, got.Tip.ObjectKey, got.Tip.Size})
	w.Unchanged(fault.Conflict, storage.ReasonObjectUsed, w.tryVersion(other, with("k1")))
	w.Equal(3, w.Version(item, with("k1")).Tip.Number) // its own object may be used again
	project := w.Project
	w.Project = w.NewProject(w.Hub.ID, "Other")
	w.Object("foreign")
	w.Project = project
	w.Unchanged(fault.NotFound, storage.ReasonObjectAbsent, w.tryVersion(item, with("foreign")))
}

func copyVersion(w *Tree) {
	w.Object("k1")
	version := newVersion("source.txt")
	version.Bucket, version.ObjectKey = "bucket", "k1"
	source, err := w.Data.CreateItem(w.Ctx(), w.Change(), w.Project.ID, newItem("s", w.Files.ID, "source.txt"), version)
	w.Must(err)
	target := w.Item(w.Files.ID, "target.txt").Item.ID
	from := &storage.VersionRef{ItemID: "s", Number: 1}
	got := w.Version(target, storage.NewVersion{CopyFrom: from}).Tip
	want := source.Tip
	want.ItemID, want.Number, want.Stamp = target, 2, got.Stamp
	w.Equal(want, got)
	got = w.Version(target, storage.NewVersion{CopyFrom: from, Name: "own.txt",
		Extension: storage.Extension{Type: "versions:a:B", Version: "2"}}).Tip
	want.Number, want.Name, want.Extension, want.Stamp = 3, "own.txt",
		storage.Extension{Type: "versions:a:B", Version: "2"}, got.Stamp
	w.Equal(want, got)
	w.Unchanged(fault.NotFound, storage.ReasonSourceAbsent,
		w.tryVersion(target, storage.NewVersion{CopyFrom: &storage.VersionRef{ItemID: "s", Number: 9}}))
	w.Unchanged(fault.NotFound, storage.ReasonSourceAbsent,
		w.tryVersion(target, storage.NewVersion{CopyFrom: &storage.VersionRef{ItemID: "none", Number: 1}}))
}

func listSums(w *Tree) {
	w.Object("k1")
	target := w.Item(w.Files.ID, "target.txt").Item.ID
	version := newVersion("target.txt")
	version.Bucket, version.ObjectKey = "bucket", "k1"
	w.Version(target, version)
	object, err := w.Data.FindObject(w.Ctx(), "bucket", "k1")
	w.Must(err)
	for span, want := range map[[2]int]map[int][]byte{
		{1, 2}: {2: object.SHA256}, {2, 9}: {2: object.SHA256}, {1, 1}: {}, {3, 9}: {},
	} {
		got, err := w.Data.ListSums(w.Ctx(), w.Project.ID, target, span[0], span[1])
		w.Must(err)
		w.Equal(want, got)
	}
	got, err := w.Data.ListSums(w.Ctx(), "b.none", target, 1, 9)
	w.Must(err)
	w.Equal(map[int][]byte{}, got)
}

func copyIntoItem(w *Tree) {
	source := w.Item(w.Files.ID, "a.txt")
	ref := &storage.VersionRef{ItemID: source.Item.ID, Number: 1}
	got, err := w.Data.CreateItem(w.Ctx(), w.Change(), w.Project.ID, newItem("copy", w.Plans.ID, "a.txt"),
		storage.NewVersion{CopyFrom: ref})
	w.Must(err)
	w.Equal([]any{1, "a.txt", "text/plain"}, []any{got.Tip.Number, got.Tip.Name, got.Tip.MimeType})
	other := w.NewProject(w.Hub.ID, "Other")
	w.Unchanged(fault.NotFound, storage.ReasonSourceAbsent, func() error {
		_, err := w.Data.CreateItem(w.Ctx(), w.Change(), other.ID, newItem("c2", other.RootFolderID, "a.txt"),
			storage.NewVersion{CopyFrom: ref})
		return err
	})
}

func deleteAndRestore(w *Tree) {
	item := w.Item(w.Files.ID, "a.txt").Item.ID
	gone := w.Version(item, storage.NewVersion{Name: "x",
		Extension: storage.Extension{Type: "versions:portico.core:Deleted"}, Delete: true})
	w.Equal([]any{true, 2}, []any{gone.Item.Hidden, gone.Item.Tip})
	w.Equal(0, w.Look(w.Files.ID).ObjectCount)
	w.Unchanged(fault.Conflict, storage.ReasonItemHidden, w.tryVersion(item, newVersion("n")))
	w.Item(w.Files.ID, "a.txt")
	back := storage.NewVersion{CopyFrom: &storage.VersionRef{ItemID: item, Number: 1}}
	w.Unchanged(fault.Conflict, storage.ReasonNameTaken, w.tryVersion(item, back))
	back.Name, back.RenameItem = "b.txt", true
	restored := w.Version(item, back)
	w.Equal([]any{false, 3, "b.txt", "b.txt"},
		[]any{restored.Item.Hidden, restored.Item.Tip, restored.Item.Name, restored.Tip.Name})
	w.Told(item, storage.EventVersionAdded, storage.EventItemRestored, storage.EventItemRenamed,
		storage.EventVersionAdded, storage.EventItemHidden, storage.EventItemCreated)
}

func renameByVersion(w *Tree) {
	item := w.Item(w.Files.ID, "a.txt").Item.ID
	w.Item(w.Files.ID, "taken.txt")
	version := newVersion("new.txt")
	w.Equal("a.txt", w.Version(item, version).Item.Name)
	version.RenameItem = true
	w.Equal("new.txt", w.Version(item, version).Item.Name)
	version.Name = "TAKEN.txt"
	w.Unchanged(fault.Conflict, storage.ReasonNameTaken, w.tryVersion(item, version))
	w.Equal(3, w.LookItem(item).Item.Tip)
}

// numbers returns the numbers of the item's versions, page by page, by cursor
// and by number.
func (w *Tree) numbers(itemID string, query storage.VersionQuery, limit int) (all []int) {
	w.Helper()
	for n, after := 0, ""; ; n++ {
		page, next, err := w.Data.ListVersions(w.Ctx(), w.Project.ID, itemID, query,
			storage.DataPage{After: after, Limit: limit})
		w.Must(err)
		numbered, _, err := w.Data.ListVersions(w.Ctx(), w.Project.ID, itemID, query,
			storage.DataPage{Number: n, Limit: limit})
		w.Must(err)
		w.Equal(page, numbered)
		for _, v := range page {
			all = append(all, v.Number)
		}
		if after = next; after == "" {
			return all
		}
	}
}

func listVersions(w *Tree) {
	item := w.Item(w.Files.ID, "a.txt").Item.ID
	for i := range 4 {
		v := newVersion(fmt.Sprint(i))
		if i == 1 {
			v.Extension.Type = "versions:portico.core:Other"
		}
		w.Version(item, v)
	}
	for limit := 1; limit < 7; limit++ {
		w.Equal([]int{5, 4, 3, 2, 1}, w.numbers(item, storage.VersionQuery{}, limit))
		w.Equal([]int{1, 2, 3, 4, 5}, w.numbers(item, storage.VersionQuery{Ascending: true}, limit))
	}
	w.Equal([]int{4, 2}, w.numbers(item, storage.VersionQuery{Numbers: []storage.NumberCondition{{Op: storage.OpEqual,
		Values: []int64{2, 4, 9}}}}, 1))
	w.Equal([]int{3, 2}, w.numbers(item, storage.VersionQuery{Numbers: []storage.NumberCondition{
		{Op: storage.OpMore, Values: []int64{1}}, {Op: storage.OpLess, Values: []int64{4}},
	}}, 1))
	w.Equal([]int{3}, w.numbers(item, storage.VersionQuery{ExtensionTypes: []storage.TextCondition{{Op: storage.OpEnds,
		Values: []string{":Other"}}}}, 1))
	versions, _, err := w.Data.ListVersions(w.Ctx(), w.Project.ID, item, storage.VersionQuery{},
		storage.DataPage{Limit: 1})
	w.Must(err)
	w.Equal(w.LookItem(item).Tip, versions[0])
	_, _, err = w.Data.ListVersions(w.Ctx(), w.Project.ID, item, storage.VersionQuery{}, storage.DataPage{After: "x"})
	w.Refused(err, fault.Invalid, "")
}

func renameVersion(w *Tree) {
	item := w.Item(w.Files.ID, "a.txt")
	ref := storage.VersionRef{ItemID: item.Item.ID, Number: 1}
	user := w.User().ID
	change := w.ChangeBy(user)
	got, err := w.Data.RenameVersion(w.Ctx(), change, w.Project.ID, ref, "renamed.txt")
	w.Must(err)
	item.Tip.Name, item.Tip.Revision, item.Tip.ModifiedAt, item.Tip.ModifiedBy = "renamed.txt", 2, change.At, user
	w.Equal(item.Tip, got)
	w.Equal(item, w.LookItem(ref.ItemID))
	_, err = w.Data.RenameVersion(w.Ctx(), w.Change(), w.Project.ID, ref, "renamed.txt")
	w.Must(err)
	w.Told(ref.ItemID, storage.EventVersionNamed, storage.EventItemCreated)
	for _, absent := range []storage.VersionRef{{ItemID: "none", Number: 1}, {ItemID: ref.ItemID, Number: 2}} {
		w.Unchanged(fault.NotFound, "", func() error {
			_, err := w.Data.RenameVersion(w.Ctx(), w.Change(), w.Project.ID, absent, "x")
			return err
		})
	}
}
