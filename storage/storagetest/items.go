package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func itemChecks() []treeCheck {
	return []treeCheck{
		{"CreateItem returns what FindItem finds, with version 1 and its object", createItem},
		{"CreateItem refuses absent and hidden folders, taken names and ids", createItemRefused},
		{"UpdateItem renames, moves and hides at once, and counts one revision", updateItem},
		{"UpdateItem refuses taken names, absent and hidden folders, and other revisions", updateItemRefused},
		{"UpdateItem with what is so already is no change", updateItemNothing},
		{"a hidden item's name is free, and restoring it refuses a taken one", restoreItem},
	}
}

// Object stores an object of 5 bytes.
func (w *Tree) Object(key string) storage.Object {
	w.Helper()
	object := storage.Object{Bucket: "bucket", Key: key, ProjectID: w.Project.ID, Name: key}
	w.Must(w.Data.ReserveObject(w.Ctx(), w.Change(), object))
	w.Must(w.sums("bucket", key, 5, []byte("hash")))
	return object
}

// sums notes bytes of which only size and hash are known.
func (w *Tree) sums(bucket, key string, size int64, sha256 []byte) error {
	_, err := w.Data.StoreBytes(w.Ctx(), w.Change(), bucket, key, storage.Bytes{Size: size, SHA256: sha256})
	return err
}

func createItem(w *Tree) {
	w.Object("k.txt")
	user := w.User().ID
	change := w.ChangeBy(user)
	version := newVersion("v.txt")
	version.Bucket, version.ObjectKey = "bucket", "k.txt"
	got, err := w.Data.CreateItem(w.Ctx(), change, w.Project.ID, newItem("uid", w.Files.ID, "i.txt"), version)
	w.Must(err)
	stamp := storage.Stamp{CreatedAt: change.At, CreatedBy: user, ModifiedAt: change.At, ModifiedBy: user}
	want := storage.ItemWithTip{
		Item: storage.Item{
			ID: "uid", ProjectID: w.Project.ID, FolderID: w.Files.ID, Name: "i.txt", Tip: 1,
			Extension: storage.Extension{Type: "items:portico.core:File", Version: "1.0", Data: `{"a": 1}`},
			Revision:  1, Stamp: stamp,
		},
		Tip: storage.Version{
			ItemID: "uid", Number: 1, Name: "v.txt", MimeType: "text/plain", FileType: "txt", Size: 5,
			Bucket: "bucket", ObjectKey: "k.txt",
			Extension: storage.Extension{Type: "versions:portico.core:File", Version: "1.0"}, Revision: 1, Stamp: stamp,
		},
	}
	w.Equal(want, got)
	w.Equal(want, w.LookItem("uid"))
	w.Told("uid", storage.EventItemCreated)
}

func createItemRefused(w *Tree) {
	taken := w.Item(w.Files.ID, "Taken.txt")
	foreign := w.NewProject(w.Hub.ID, "Other").RootFolderID
	try := func(id, folder, name string) func() error {
		return func() error {
			_, err := w.Data.CreateItem(w.Ctx(), w.Change(), w.Project.ID, newItem(id, folder, name), newVersion(name))
			return err
		}
	}
	w.Unchanged(fault.NotFound, storage.ReasonParentAbsent, try("a", "none", "n"))
	w.Unchanged(fault.NotFound, storage.ReasonParentAbsent, try("a", foreign, "n"))
	w.Unchanged(fault.Conflict, storage.ReasonNameTaken, try("a", w.Files.ID, "TAKEN.TXT"))
	w.Unchanged(fault.Conflict, "", try(taken.Item.ID, w.Files.ID, "n"))
	w.hide(w.Plans.ID, true)
	w.Unchanged(fault.Conflict, storage.ReasonParentHidden, try("a", w.Plans.ID, "n"))
	w.Must(try("a", w.Files.ID, "n")())
}

func updateItem(w *Tree) {
	item := w.Item(w.Files.ID, "a.txt")
	user := w.User().ID
	change := w.ChangeBy(user)
	got, err := w.Data.UpdateItem(w.Ctx(), change, w.Project.ID, item.Item.ID, storage.ItemPatch{
		Name: ptr("b.txt"), FolderID: ptr(w.Plans.ID), Hidden: ptr(true), ExtensionData: ptr(`{"b": 2}`),
	})
	w.Must(err)
	item.Item.Name, item.Item.FolderID, item.Item.Hidden, item.Item.Extension.Data = "b.txt", w.Plans.ID, true, `{"b": 2}`
	item.Item.Revision, item.Item.ModifiedAt, item.Item.ModifiedBy = 2, change.At, user
	w.Equal(item, got)
	w.Equal(item, w.LookItem(item.Item.ID))
	w.Told(item.Item.ID, storage.EventItemUpdated, storage.EventItemHidden, storage.EventItemMoved,
		storage.EventItemRenamed, storage.EventItemCreated)
	w.Equal([]int{0, 0}, []int{w.Look(w.Files.ID).ObjectCount, w.Look(w.Plans.ID).ObjectCount})
}

func (w *Tree) patchItem(itemID string, patch storage.ItemPatch) error {
	_, err := w.Data.UpdateItem(w.Ctx(), w.Change(), w.Project.ID, itemID, patch)
	return err
}

func updateItemRefused(w *Tree) {
	item := w.Item(w.Files.ID, "a.txt")
	w.Item(w.Files.ID, "taken.txt")
	w.Item(w.Plans.ID, "a.txt")
	hidden := w.Folder(w.Files.ID, "hidden")
	w.hide(hidden.ID, true)
	foreign := w.NewProject(w.Hub.ID, "Other").RootFolderID
	for _, c := range []struct {
		patch  storage.ItemPatch
		kind   fault.Kind
		reason string
	}{
		{storage.ItemPatch{Name: ptr("TAKEN.txt")}, fault.Conflict, storage.ReasonNameTaken},
		{storage.ItemPatch{FolderID: ptr(w.Plans.ID)}, fault.Conflict, storage.ReasonNameTaken},
		{storage.ItemPatch{FolderID: ptr(hidden.ID)}, fault.Conflict, storage.ReasonParentHidden},
		{storage.ItemPatch{FolderID: ptr("none")}, fault.NotFound, storage.ReasonParentAbsent},
		{storage.ItemPatch{FolderID: ptr(foreign)}, fault.NotFound, storage.ReasonParentAbsent},
	} {
		w.Unchanged(c.kind, c.reason, func() error { return w.patchItem(item.Item.ID, c.patch) })
	}
	w.Unchanged(fault.NotFound, "", func() error { return w.patchItem("none", storage.ItemPatch{}) })
	change := w.Change()
	change.Seen = 7
	w.Unchanged(fault.PreconditionFailed, storage.ReasonChanged, func() error {
		_, err := w.Data.UpdateItem(w.Ctx(), change, w.Project.ID, item.Item.ID, storage.ItemPatch{Name: ptr("c.txt")})
		return err
	})
	w.Equal(item, w.LookItem(item.Item.ID))
	change.Seen = 1
	_, err := w.Data.UpdateItem(w.Ctx(), change, w.Project.ID, item.Item.ID, storage.ItemPatch{Name: ptr("c.txt")})
	w.Must(err)
}

func updateItemNothing(w *Tree) {
	item := w.Item(w.Files.ID, "a.txt")
	w.Must(w.patchItem(item.Item.ID, storage.ItemPatch{Name: ptr("a.txt"), FolderID: ptr(w.Files.ID), Hidden: ptr(false)}))
	w.Equal(item, w.LookItem(item.Item.ID))
	w.Told(item.Item.ID, storage.EventItemCreated)
}

func restoreItem(w *Tree) {
	first := w.Item(w.Files.ID, "a.txt").Item.ID
	w.Must(w.patchItem(first, storage.ItemPatch{Hidden: ptr(true)}))
	second := w.Item(w.Files.ID, "A.txt").Item.ID
	w.Unchanged(fault.Conflict, storage.ReasonNameTaken,
		func() error { return w.patchItem(first, storage.ItemPatch{Hidden: ptr(false)}) })
	w.Must(w.patchItem(second, storage.ItemPatch{Name: ptr("b.txt")}))
	w.Must(w.patchItem(first, storage.ItemPatch{Hidden: ptr(false)}))
	w.Equal([]string{"a.txt", "b.txt"}, w.Names(w.Files.ID, storage.ContentsQuery{}))
}
