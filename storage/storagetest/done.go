package storagetest

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func doneChecks() []treeCheck {
	return []treeCheck{
		{"a request with a key is carried out once, and FindDone says what came of it", doneOnce},
		{"a refused request may be sent again", refusedIsNotDone},
		{"a key is free again after a day, and SweepDone forgets it", doneEnds},
	}
}

// keyed returns a change of a request with the key.
func (w *Tree) keyed(key string) storage.Change {
	change := w.Change()
	change.Once = storage.Once{Key: key, Fingerprint: "asked " + key}
	return change
}

func doneOnce(w *Tree) {
	item := w.Item(w.Files.ID, "a.txt").Item.ID
	for key, c := range map[string]struct {
		try  func(change storage.Change, id string) error
		want storage.Done
	}{
		"folder": {func(change storage.Change, id string) error {
			_, err := w.Data.CreateFolder(w.Ctx(), change, w.Project.ID, storage.Folder{ID: id, ParentID: w.Files.ID, Name: id})
			return err
		}, storage.Done{Subject: "folder 1"}},
		"item": {func(change storage.Change, id string) error {
			_, err := w.Data.CreateItem(w.Ctx(), change, w.Project.ID, newItem(id, w.Files.ID, id), newVersion(id))
			return err
		}, storage.Done{Subject: "item 1"}},
		"version": {func(change storage.Change, id string) error {
			_, err := w.Data.AddVersion(w.Ctx(), change, w.Project.ID, item, newVersion(id))
			return err
		}, storage.Done{Subject: item, Number: 2}},
		"object": {func(change storage.Change, id string) error {
			return w.Data.ReserveObject(w.Ctx(), change, storage.Object{Bucket: "b", Key: id, ProjectID: w.Project.ID})
		}, storage.Done{Subject: "b/object 1"}},
	} {
		_, err := w.Data.FindDone(w.Ctx(), key, w.Now())
		w.Refused(err, fault.NotFound, "")
		change := w.keyed(key)
		w.Must(c.try(change, key+" 1"))
		w.Unchanged(fault.Conflict, storage.ReasonDone, func() error { return c.try(w.keyed(key), key+" 2") })
		c.want.Fingerprint, c.want.At = "asked "+key, change.At
		got, err := w.Data.FindDone(w.Ctx(), key, w.Now())
		w.Must(err)
		w.Equal(c.want, got)
		w.Must(c.try(w.keyed(key+" again"), key+" 3"))
	}
}

func refusedIsNotDone(w *Tree) {
	folder := storage.Folder{ID: "id", ParentID: w.Files.ID, Name: "Taken"}
	taken := w.Folder(w.Files.ID, "taken").ID
	w.Unchanged(fault.Conflict, storage.ReasonNameTaken, func() error {
		_, err := w.Data.CreateFolder(w.Ctx(), w.keyed("k"), w.Project.ID, folder)
		return err
	})
	_, err := w.Data.FindDone(w.Ctx(), "k", w.Now())
	w.Refused(err, fault.NotFound, "")
	w.hide(taken, true)
	_, err = w.Data.CreateFolder(w.Ctx(), w.keyed("k"), w.Project.ID, folder)
	w.Must(err)
}

func doneEnds(w *Tree) {
	add := func() error {
		_, err := w.Data.CreateFolder(w.Ctx(), w.keyed("k"), w.Project.ID,
			storage.Folder{ID: w.Source.UID(), ParentID: w.Files.ID, Name: w.Source.UID()})
		return err
	}
	w.Must(add())
	w.Clock.Advance(storage.KeepDone - time.Minute)
	n, err := w.Data.SweepDone(w.Ctx(), w.Now(), 10)
	w.Must(err)
	w.Equal(0, n)
	w.Refused(add(), fault.Conflict, storage.ReasonDone)
	w.Clock.Advance(time.Minute)
	w.Must(add())
	w.Clock.Advance(storage.KeepDone)
	_, err = w.Data.FindDone(w.Ctx(), "k", w.Now())
	w.Refused(err, fault.NotFound, "")
	n, err = w.Data.SweepDone(w.Ctx(), w.Now(), 10)
	w.Must(err)
	w.Equal(1, n)
}
