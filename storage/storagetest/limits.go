package storagetest

import (
	"math"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func limits(w *Tree) {
	w.Must(w.store("before", 4))
	w.Must(w.Data.SetLimits(w.Ctx(), w.Change(), w.Project.ID, storage.Limits{Quota: 10, MaxObject: 5}))
	w.limitsAre(storage.Limits{Quota: 10, MaxObject: 5, Used: 4})
	w.Must(w.store("fits", 5))
	w.limitsAre(storage.Limits{Quota: 10, MaxObject: 5, Used: 9})
	w.Refused(w.store("too large", 6), fault.TooLarge, storage.ReasonObjectSize)
	w.Refused(w.store("too much", 2), fault.Forbidden, storage.ReasonQuota)
	w.limitsAre(storage.Limits{Quota: 10, MaxObject: 5, Used: 9})
	refused, err := w.Data.FindObject(w.Ctx(), "b", "too much")
	w.Must(err)
	w.Equal(storage.ObjectReserved, refused.State)
	w.Must(w.store("just", 1))
	w.Must(w.Data.SetLimits(w.Ctx(), w.Change(), w.Project.ID, storage.Limits{}))
	w.limitsAre(storage.Limits{})
	w.Must(w.store("any", 100))
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.SetLimits(w.Ctx(), w.Change(), "b.none",
			storage.Limits{Quota: 1})
	})
}

func held(w *Tree) {
	holds := func(id string, size int64) error { return w.Data.HoldBytes(w.Ctx(), id, size) }
	full := func(id string) { w.Refused(holds(id, 1), fault.Forbidden, storage.ReasonQuota) }
	for _, id := range []string{"one", "two", "three"} {
		w.reserve(id)
		w.Must(w.Data.BeginUpload(w.Ctx(), w.Change(), w.upload(id, id)))
	}
	w.Must(w.Data.BeginUpload(w.Ctx(), w.Change(), w.upload("one", "other of one")))
	w.Must(holds("one", 1000))
	w.Must(w.Data.SetLimits(w.Ctx(), w.Change(), w.Project.ID, storage.Limits{Quota: 10}))
	w.Must(holds("one", 8))
	w.Must(holds("other of one", 8))
	w.Must(holds("two", 4))
	full("three")
	w.Must(holds("two", -3)) // broke off
	w.Must(holds("two", -3))
	w.Must(holds("three", 3))
	full("two")
	// What came for another upload of an object lies there still when the object has its bytes.
	_, err := w.Data.StoreBytes(w.Ctx(), w.Change(), "b", "one", storage.Bytes{Blob: "one", Size: 8, SHA256: []byte{1}})
	w.Must(err)
	w.Must(holds("two", 8))
	full("two")
	left, err := w.Data.FindUpload(w.Ctx(), "b", "one", "other of one", w.Now())
	w.Must(err)
	w.Equal("", left.Reference)
	ended, err := w.Data.EndUpload(w.Ctx(), "three")
	w.Must(err)
	w.Equal(true, ended)
	w.Must(holds("two", 3))
	full("two")
	w.Must(w.Data.SetLimits(w.Ctx(), w.Change(), w.Project.ID, storage.Limits{Quota: math.MaxInt64}))
	w.Must(holds("two", 5<<30))
}

func (w *Tree) limitsAre(want storage.Limits) {
	w.Helper()
	got, err := w.Data.FindLimits(w.Ctx(), w.Project.ID)
	w.Must(err)
	w.Equal(want, got)
}
