package storagetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func feedChecks() []treeCheck {
	return []treeCheck{
		{"ListChanges pages a project's events oldest first, by positions without gap", listChanges},
		{"ListChanges refuses positions that were never given or lie behind what was forgotten", feedEnds},
		{"SweepEvents forgets what is older than KeepEvents, from the first on", sweepEvents},
		{"of 50 that stamp at once, each gives other positions, and none is left out", raceStamps},
	}
}

// stamped gives everything its position.
func (w *Tree) stamped() {
	w.Helper()
	for n := 1; n > 0; {
		var err error
		n, err = w.Data.StampEvents(w.Ctx(), 3)
		w.Must(err)
	}
	w.Equal(true, w.Events(storage.EventQuery{})[0].Position > 0)
}

// feed returns a project's events behind a position.
func (w *Tree) feed(projectID string, after int64, limit int) []storage.Event {
	w.Helper()
	var all []storage.Event
	for {
		events, next, err := w.Data.ListChanges(w.Ctx(), projectID, after, limit)
		w.Must(err)
		all = append(all, events...)
		if after = next; len(events) < limit {
			return all
		}
	}
}

func listChanges(w *Tree) {
	other := w.NewProject(w.NewHub("Other").ID, "Other")
	last, err := w.Data.LastPosition(w.Ctx())
	w.Must(err)
	w.Equal(int64(0), last)
	w.Equal([]storage.Event(nil), w.feed(w.Project.ID, 0, 1))
	for i := range 5 {
		w.Folder(w.Files.ID, fmt.Sprint(i))
	}
	w.stamped()
	newest := w.Events(storage.EventQuery{})[0]
	last, err = w.Data.LastPosition(w.Ctx())
	w.Must(err)
	w.Equal(newest.Position, last)
	for limit := 1; limit < 4; limit++ {
		events := w.feed(w.Project.ID, 0, limit)
		w.Equal(6, len(events)) // the project and its folders
		for i := 1; i < len(events); i++ {
			w.Equal(true, events[i-1].Seq < events[i].Seq && events[i-1].Position < events[i].Position)
		}
		w.Equal(newest, events[5])
		w.Equal(events[3:], w.feed(w.Project.ID, events[2].Position, limit))
		w.Equal(1, len(w.feed(other.ID, 0, limit)))
	}
	positions := map[int64]bool{}
	for _, e := range w.Events(storage.EventQuery{}) {
		positions[e.Position] = true
	}
	for p := int64(1); p <= last; p++ {
		w.Equal(true, positions[p])
	}
	w.Equal([]storage.Event(nil), w.feed("absent", 0, 1))
}

func feedEnds(w *Tree) {
	w.stamped()
	last, err := w.Data.LastPosition(w.Ctx())
	w.Must(err)
	for _, after := range []int64{-1, last + 1} {
		_, _, err := w.Data.ListChanges(w.Ctx(), w.Project.ID, after, 1)
		w.Refused(err, fault.Gone, storage.ReasonCursorGone)
	}
	for _, limit := range []int{0, -1, storage.MaxPage + 1} {
		_, _, err := w.Data.ListChanges(w.Ctx(), w.Project.ID, last, limit)
		w.Refused(err, fault.Invalid, "")
	}
	_, next, err := w.Data.ListChanges(w.Ctx(), w.Project.ID, last, 1)
	w.Must(err)
	w.Equal(last, next)
}

func sweepEvents(w *Tree) {
	for i := range 4 {
		w.Folder(w.Files.ID, fmt.Sprint(i))
	}
	w.stamped()
	events := w.feed(w.Project.ID, 0, 10)
	sweep := func(now time.Time, limit int) int {
		n, err := w.Data.SweepEvents(w.Ctx(), now, limit)
		w.Must(err)
		return n
	}
	third := events[2]
	w.Equal(0, sweep(events[0].Act.At.Add(-time.Hour), 10))
	w.Equal(1, sweep(third.Act.At.Add(storage.KeepEvents+time.Microsecond), 1))
	for n := 1; n > 0; {
		n = sweep(third.Act.At.Add(storage.KeepEvents+time.Microsecond), 1)
	}
	w.Equal(events[3:], w.feed(w.Project.ID, 0, 10))
	w.Equal(events[3:], w.feed(w.Project.ID, third.Position, 10))
	_, _, err := w.Data.ListChanges(w.Ctx(), w.Project.ID, third.Position-1, 10)
	w.Refused(err, fault.Gone, storage.ReasonCursorGone)

	w.Folder(w.Files.ID, "new")
	far := w.Now().Add(2 * storage.KeepEvents)
	sweep(far, 100)
	w.Equal(int64(0), w.Events(storage.EventQuery{})[0].Position) // what has no position stays
	w.stamped()
	w.Equal(1, len(w.feed(w.Project.ID, 0, 10)))
	w.Equal(events[len(events)-1].Position+1, w.Events(storage.EventQuery{})[0].Position)

	ahead := w.Change() // by a clock that was put right before the next
	ahead.At = ahead.At.AddDate(10, 0, 0)
	_, err = w.Data.CreateFolder(w.Ctx(), ahead, w.Project.ID,
		storage.Folder{ID: w.Source.UID(), ParentID: w.Files.ID, Name: "ahead"})
	w.Must(err)
	w.Folder(w.Files.ID, "after")
	w.stamped()
	w.Equal(1, sweep(far, 1))
	w.Equal(2, len(w.feed(w.Project.ID, 0, 10))) // which is the last yet, and no older than others
	w.Equal(1, sweep(far, 100))
	w.Equal([]storage.Event(nil), w.feed(w.Project.ID, 0, 10))
}

func raceStamps(w *Tree) {
	changes := w.changes(racers)
	var stamps atomic.Int64
	var reading sync.Mutex
	seen := map[int64]int64{} // seq by position
	results := w.race(racers, func(store storage.Identity, i int) error {
		data := w.both(store)
		_, err := data.CreateFolder(w.Ctx(), changes[i], w.Project.ID,
			storage.Folder{ID: fmt.Sprint(i), ParentID: w.Files.ID, Name: fmt.Sprint(i)})
		if err != nil && !busy(err) {
			return err
		}
		n, err := data.StampEvents(w.Ctx(), 3)
		if err != nil {
			return err
		}
		stamps.Add(int64(n))
		events, _, err := data.ListChanges(w.Ctx(), w.Project.ID, 0, storage.MaxPage)
		reading.Lock()
		defer reading.Unlock()
		for _, e := range events {
			if was, known := seen[e.Position]; known && was != e.Seq {
				return fmt.Errorf("position %d is of %d, and was of %d", e.Position, e.Seq, was)
			}
			seen[e.Position] = e.Seq
		}
		return err
	})
	for _, err := range results {
		w.Must(err)
	}
	before := stamps.Load()
	w.stamped()
	last, err := w.Data.LastPosition(w.Ctx())
	w.Must(err)
	w.Equal(true, before <= last)
	for _, e := range w.feed(w.Project.ID, 0, 7) {
		if was, known := seen[e.Position]; known {
			w.Equal(was, e.Seq)
		}
	}
	w.Equal(int(last), len(w.allEvents()))
}

// allEvents returns every event there is.
func (w *Tree) allEvents() []storage.Event {
	w.Helper()
	var all []storage.Event
	for page := (storage.PageRequest{}); ; {
		events, next, err := w.Data.ListEvents(w.Ctx(), storage.EventQuery{}, page)
		w.Must(err)
		all = append(all, events...)
		if page.After = next; next == "" {
			return all
		}
	}
}
