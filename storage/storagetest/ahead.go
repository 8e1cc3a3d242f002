package storagetest

import (
	"time"

	"github.com/portico-id/portico/storage"
)

// putOff is all queues that servers look after, each with something that nobody has tried
// yet, and one that was tried by a clock that was ahead.
func putOff(w *Tree) {
	t := w.NewTwin("Tower")
	document := t.imported("i").ID
	t.looked(document)
	client, user := w.listener(), w.User()
	hook := w.hook("w1")
	w.Clock.Advance(time.Hour)
	w.Must(w.storePending("tried"))
	w.post("a@example.test")
	w.attempted(w.takeMails(1)[0], "down", time.Minute)
	_, err := w.Data.ClaimScans(w.Ctx(), w.Now(), w.Now().Add(storage.ScanWithin), 1)
	w.Must(err)
	w.Must(w.Store.EndSession(w.Ctx(), w.Act(), w.joined(user.ID, client).ID))
	hook = w.queue(hook, w.Now(), "tried")
	w.failDeliveries()
	w.post("a@example.test")
	w.Must(w.Store.EndSession(w.Ctx(), w.Act(), w.joined(user.ID, client).ID))
	w.queue(hook, w.Now(), "s")
	w.Must(w.storePending("file"))
	w.Must(w.Data.Advance(w.Ctx(), "twins", 5, w.Now(), []storage.Touched{{ProjectID: w.Project.ID}}))
	w.Clock.Advance(-time.Hour)
}

func (w *Tree) storePending(key string) error {
	w.Helper()
	w.reserve(key)
	_, err := w.Data.StoreBytes(w.Ctx(), w.Change(), "b", key,
		storage.Bytes{Blob: "blob of " + key, Size: 1, SHA256: []byte("x"), Scan: storage.ScanPending})
	return err
}

// Whatever waits is due at once after a clock was put right, and one that is behind makes
// nothing due that was tried, nor what another server is at.
func hasten(w *Tree) {
	putOff(w)
	waiting := func() [5]int {
		mails := w.takeMails(10)
		logouts, hooks := w.failDeliveries()
		scans, err := w.Data.ClaimScans(w.Ctx(), w.Now(), w.Now().Add(storage.ScanWithin), 10)
		w.Must(err)
		documents, err := w.Data.ListDue(w.Ctx(), w.Now(), 10)
		w.Must(err)
		for _, m := range mails {
			w.attempted(m, "down", 10*time.Minute)
		}
		for _, d := range documents {
			w.Must(w.Data.Postpone(w.Ctx(), d.ID, w.Now().Add(30*time.Second)))
		}
		return [5]int{len(mails), logouts, hooks, len(scans), len(documents)}
	}
	w.Equal([5]int{}, waiting())
	w.sweep(100)
	w.Equal([5]int{2, 2, 2, 2, 1}, waiting())
	w.sweep(100)
	w.Equal([5]int{}, waiting())
}

// failDeliveries tries those that are due, in vain, and returns how many they were.
func (w *Tree) failDeliveries() (logouts, hooks int) {
	w.Helper()
	told, err := w.Store.ListDueLogouts(w.Ctx(), w.Now(), 10, 10)
	w.Must(err)
	for _, d := range told {
		w.Must(w.Store.RecordLogoutAttempt(w.Ctx(), tried(w, d.ID)))
	}
	sent, err := w.Data.ListDueDeliveries(w.Ctx(), w.Now(), 10, 10)
	w.Must(err)
	for _, d := range sent {
		w.Must(w.Data.RecordDeliveryAttempt(w.Ctx(), tried(w, d.ID)))
	}
	return len(told), len(sent)
}

func tried(w *Tree, id int64) storage.DeliveryAttempt {
	return storage.DeliveryAttempt{DeliveryID: id, At: w.Now(), Failure: "down", NextAt: w.Now().Add(10 * time.Minute)}
}
