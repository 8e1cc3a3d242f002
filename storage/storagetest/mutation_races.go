package storagetest

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func mutationRaceChecks() []treeCheck {
	return []treeCheck{
		{"the history of eight writers at once leads to the values that are there, and back", eightWriters},
		{"of several who undo one mutation at once one does", undoAtOnce},
	}
}

// eightWriters has them write, delete and undo in the same few elements. What
// the history says, played from the beginning, must be what is there; undone
// from its end, it must lead back to nothing.
func eightWriters(w *Tree) {
	t := w.NewTwin("Tower")
	const writers, steps = 8, 15
	change := w.Change()
	errs := make([]error, writers)
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() { errs[i] = t.write(change, i, steps) })
	}
	group.Wait()
	for _, err := range errs {
		w.Must(err)
	}
	newest := t.replayed()
	for number := newest; number > 0; number-- {
		t.undo(number) // those that were undone meanwhile
	}
	w.Equal(0, len(t.state()))
}

func (t *Twin) write(change storage.Change, writer, steps int) error {
	for step := range steps {
		key := fmt.Sprintf("e%d", (writer+step)%3)
		value := fmt.Sprintf("%d-%d", writer, step)
		changes := []storage.ElementChange{set(key, "a", value), set("shared", fmt.Sprintf("c%d", step%2), value)}
		if step%5 == 4 {
			changes = append(changes, storage.ElementChange{Op: storage.OpDelete, Key: key})
		}
		record, err := t.Data.Mutate(t.Ctx(), change, storage.Mutation{FacilityID: t.Facility.ID, Changes: changes})
		if err != nil {
			return err
		}
		if step%3 != 2 {
			continue
		}
		undone, err := t.Data.UndoMutation(t.Ctx(), change, t.Facility.ID, record.Number, "")
		if err == nil {
			_, err = t.Data.UndoMutation(t.Ctx(), change, t.Facility.ID, undone.Number, "")
		}
		if err != nil && !fault.HasReason(err, storage.ReasonOvertaken) {
			return err
		}
	}
	return nil
}

// replayed plays the history, compares with what is there, and returns the
// number of the newest mutation.
func (t *Twin) replayed() int64 {
	t.Helper()
	cells := map[string]string{}
	for number := int64(1); ; number++ {
		_, changes, _, err := t.Data.FindMutation(t.Ctx(), t.Facility.ID, number, storage.PageRequest{})
		if fault.Is(err, fault.NotFound) {
			t.Equal(slices.Sorted(maps.Keys(lines(cells))), t.state())
			return number - 1
		}
		t.Must(err)
		for _, c := range changes {
			name := c.Key
			if c.Family != "" {
				name += " " + c.Family + ":" + c.Column + "="
			}
			if cells[name] != c.Was {
				t.Fatalf("mutation %d found %q in %s, and left behind was %q", number, c.Was, name, cells[name])
			}
			cells[name] = c.Became
		}
	}
}

// lines are the cells as Twin.state has them.
func lines(cells map[string]string) map[string]bool {
	all := map[string]bool{}
	for name, value := range cells {
		switch {
		case value == "":
		case name[len(name)-1] == '=':
			all[name+value] = true
		default:
			all[name] = true
		}
	}
	return all
}

func undoAtOnce(w *Tree) {
	t := w.NewTwin("Tower")
	number := t.mutate(set("door", "a", "1"))
	change := w.Change()
	errs := make([]error, 6)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { _, errs[i] = w.Data.UndoMutation(w.Ctx(), change, t.Facility.ID, number, "") })
	}
	group.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
			continue
		}
		w.Refused(err, fault.Conflict, storage.ReasonUndone)
	}
	w.Equal(1, done)
	w.Equal(0, len(t.state()))
}
