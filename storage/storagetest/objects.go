package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func objectChecks() []treeCheck {
	return []treeCheck{
		{"an object is reserved, stored, and found in each state", objectStates},
		{"ReserveObject refuses taken keys and absent projects", reserveObjectRefused},
	}
}

func objectStates(w *Tree) {
	user := w.User().ID
	made := w.ChangeBy(user)
	object := storage.Object{Bucket: "b", Key: "k.txt", ProjectID: w.Project.ID, Name: "file.txt", State: storage.ObjectReserved, CreatedAt: made.At, CreatedBy: user}
	w.Must(w.Data.ReserveObject(w.Ctx(), made, object))
	got, err := w.Data.FindObject(w.Ctx(), "b", "k.txt")
	w.Must(err)
	w.Equal(object, got)
	stored := w.Change()
	w.Must(w.Data.StoreObject(w.Ctx(), stored, "b", "k.txt", 7, []byte{1, 2}))
	w.Must(w.Data.StoreObject(w.Ctx(), w.Change(), "b", "k.txt", 7, []byte{1, 2}))
	object.State, object.Size, object.SHA256, object.StoredAt = storage.ObjectStored, 7, []byte{1, 2}, stored.At
	got, err = w.Data.FindObject(w.Ctx(), "b", "k.txt")
	w.Must(err)
	w.Equal(object, got)
	w.Unchanged(fault.Conflict, "", func() error { return w.Data.StoreObject(w.Ctx(), w.Change(), "b", "k.txt", 8, []byte{1, 2}) })
	w.Unchanged(fault.Conflict, "", func() error { return w.Data.StoreObject(w.Ctx(), w.Change(), "b", "k.txt", 7, []byte{2}) })
	w.Unchanged(fault.NotFound, "", func() error { return w.Data.StoreObject(w.Ctx(), w.Change(), "b", "none", 7, nil) })
	w.Told("b/k.txt", storage.EventObjectStored, storage.EventObjectMade)
	_, err = w.Data.FindObject(w.Ctx(), "b", "none")
	w.Refused(err, fault.NotFound, "")
}

func reserveObjectRefused(w *Tree) {
	object := w.Object("k")
	w.Unchanged(fault.Conflict, "", func() error { return w.Data.ReserveObject(w.Ctx(), w.Change(), object) })
	object.ProjectID, object.Key = "b.none", "other"
	w.Unchanged(fault.NotFound, "", func() error { return w.Data.ReserveObject(w.Ctx(), w.Change(), object) })
	object.ProjectID = w.Project.ID
	w.Must(w.Data.ReserveObject(w.Ctx(), w.Change(), object))
}
