package storagetest

import (
	"fmt"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func mutationChecks() []treeCheck {
	return []treeCheck{
		{"Mutate makes elements and properties with their first value", mutateMakes},
		{"Mutate does all or nothing, and says which operation is wrong", mutateRefused},
		{"Mutate keeps nothing when nothing changes", mutateNothing},
		{"operations of one mutation happen one after the other", mutateInOrder},
		{"an element that is deleted beside a new property leaves no value behind", deleteBesideNew},
		{"Mutate defines properties of any family, and keeps those that are there", mutateDefines},
		{"a value that names a document must name one of the facility", mutateDocument},
		{"models have elements of their own", mutateModels},
		{"the history has what every value was and became", mutationHistory},
		{"UndoMutation brings back what was, and can be undone", undoMutation},
		{"UndoMutation refuses what was changed since, and what was undone", undoRefused},
		{"an element that others have given values stays when its making is undone", undoKeepsOthers},
		{"UndoMutation brings deleted elements back", undoDelete},
		{"ListElements pages, and narrows by model and key", listElements},
		{"many values at once", mutateMany},
	}
}

// set is an operation that writes a text into a column of the user's family.
func set(key, column, text string) storage.ElementChange {
	return storage.ElementChange{Op: storage.OpWrite, Key: key, Family: storage.UserFamily,
		Column: column, Value: quoted(text)}
}

func quoted(text string) string { return `"` + text + `"` }

func (t *Twin) try(changes ...storage.ElementChange) (storage.MutationRecord, error) {
	return t.Data.Mutate(t.Ctx(), t.Change(),
		storage.Mutation{FacilityID: t.Facility.ID, Description: "why", Changes: changes})
}

// mutate is try that must succeed, and returns the number.
func (t *Twin) mutate(changes ...storage.ElementChange) int64 {
	t.Helper()
	record, err := t.try(changes...)
	t.Must(err)
	return record.Number
}

func (t *Twin) undo(number int64) int64 {
	t.Helper()
	record, err := t.Data.UndoMutation(t.Ctx(), t.Change(), t.Facility.ID, number, "")
	t.Must(err)
	return record.Number
}

// state is every value of the facility, and every element as one without a
// column, as a line.
func (t *Twin) state() []string {
	t.Helper()
	var lines []string
	for page := (storage.PageRequest{}); ; {
		elements, next, err := t.Data.ListElements(t.Ctx(), t.Facility.ID, storage.ElementQuery{}, page)
		t.Must(err)
		for _, e := range elements {
			lines = append(lines, e.Key)
			for _, v := range e.Values {
				lines = append(lines, fmt.Sprintf("%s %s:%s=%s", e.Key, v.Family, v.Column, v.Value))
			}
		}
		if page.After = next; next == "" {
			slices.Sort(lines)
			return lines
		}
	}
}

func mutateMakes(w *Tree) {
	t := w.NewTwin("Tower")
	change := w.Change()
	change.Caller = storage.Caller{ClientID: "app", UserID: "USER", OnBehalf: true}
	record, err := w.Data.Mutate(w.Ctx(), change, storage.Mutation{
		FacilityID: t.Facility.ID, ModelID: t.Model.ID, Description: "first", Changes: []storage.ElementChange{
			set("door", "0Ac", "Ä 🏗"), {Op: storage.OpWriteDiff, Key: "door", Family: "z", Column: "n", Value: "1.5"},
			{Op: storage.OpWrite, Key: "wall", Family: "z", Column: "b", Value: "true"},
		},
	})
	w.Must(err)
	want := storage.MutationRecord{
		Number: 1, ModelID: t.Model.ID, Description: "first", At: change.At, Actor: change.Actor, Caller: change.Caller,
	}
	w.Equal(want, record)
	w.Equal([]string{"door", `door z:0Ac="Ä 🏗"`, "door z:n=1.5", "wall", "wall z:b=true"}, t.state())
	properties, err := w.Data.ListProperties(w.Ctx(), t.Facility.ID)
	w.Must(err)
	w.Equal([]storage.Property{
		{Family: "z", Column: "0Ac", Name: "0Ac", Type: storage.PropertyText},
		{Family: "z", Column: "b", Name: "b", Type: storage.PropertyBoolean},
		{Family: "z", Column: "n", Name: "n", Type: storage.PropertyNumber},
	}, properties)
	w.Equal(change.At, t.standing(storage.Caller{}).Facility.ModifiedAt)
	w.Told(t.Facility.ID, storage.EventTwinMutated, storage.EventTwinCreated)
}

func mutateRefused(w *Tree) {
	t := w.NewTwin("Tower")
	t.mutate(set("door", "c", "text"))
	before := t.state()
	for reason, bad := range map[string]storage.ElementChange{
		storage.ReasonPropertyAbsent: {Op: storage.OpWrite, Key: "door", Family: "n", Column: "n", Value: `"x"`},
		storage.ReasonValueType:      {Op: storage.OpWrite, Key: "door", Family: "z", Column: "c", Value: "1"},
		"":                           {Op: "x", Key: "door"},
	} {
		w.Unchanged(fault.Invalid, reason, func() error {
			_, err := t.try(set("new", "new", "new"), bad, set("door", "c", "other"))
			w.Equal("1", fault.From(err).Source)
			return err
		})
	}
	w.Equal(before, t.state())
	for reason, bad := range map[string]storage.Mutation{
		"": {FacilityID: "none"}, storage.ReasonModelAbsent: {FacilityID: t.Facility.ID,
			ModelID: w.NewTwin("Other").Model.ID},
	} {
		w.Unchanged(fault.NotFound, reason, func() error {
			_, err := w.Data.Mutate(w.Ctx(), w.Change(), bad)
			return err
		})
	}
	properties, err := w.Data.ListProperties(w.Ctx(), t.Facility.ID)
	w.Must(err)
	w.Equal(1, len(properties))
	if number := t.mutate(set("door", "c", "other")); number != 2 {
		w.Errorf("refused mutations leave a gap: %d", number)
	}
}

func mutateNothing(w *Tree) {
	t := w.NewTwin("Tower")
	t.mutate(set("door", "c", "text"))
	before := t.state()
	number := t.mutate(set("door", "c", "text"),
		storage.ElementChange{Op: storage.OpClear, Key: "none", Family: "z", Column: "c"},
		storage.ElementChange{Op: storage.OpClear, Key: "door", Family: "n", Column: "none"},
		storage.ElementChange{Op: storage.OpDelete, Key: "none"},
		set("passing", "c", "text"), storage.ElementChange{Op: storage.OpDelete, Key: "passing"})
	w.Equal(int64(0), number)
	w.Equal(before, t.state())
	w.Told(t.Facility.ID, storage.EventTwinMutated, storage.EventTwinCreated)
}

func mutateInOrder(w *Tree) {
	t := w.NewTwin("Tower")
	made := t.mutate(storage.ElementChange{Op: storage.OpMake, Key: "bare"})
	w.Equal([]string{"bare"}, t.state())
	t.undo(made)
	t.mutate(set("door", "a", "1"), set("door", "b", "2"))
	t.mutate(set("door", "a", "3"), storage.ElementChange{Op: storage.OpDelete, Key: "door"}, set("door", "c", "4"),
		set("wall", "a", "5"), storage.ElementChange{Op: storage.OpClear, Key: "wall", Family: "z", Column: "a"},
		set("wall", "b", "6"), set("wall", "b", "7"))
	w.Equal([]string{"door", `door z:c="4"`, "wall", `wall z:b="7"`}, t.state())
}

func mutateDefines(w *Tree) {
	t := w.NewTwin("Tower")
	define := []storage.Property{
		{Family: "n", Column: "n", Name: "Name", Type: storage.PropertyText},
		{Family: "z", Column: "d", Name: "Manual", Type: storage.PropertyDocument},
	}
	mutation := storage.Mutation{FacilityID: t.Facility.ID, Define: define, Changes: []storage.ElementChange{
		{Op: storage.OpWrite, Key: "door", Family: "n", Column: "n", Value: `"Door"`},
		set("door", "d", "https://example.test/manual.pdf"),
	}}
	_, err := w.Data.Mutate(w.Ctx(), w.Change(), mutation)
	w.Must(err)
	again := mutation
	again.Define = []storage.Property{{Family: "n", Column: "n", Name: "Other", Type: storage.PropertyNumber}}
	_, err = w.Data.Mutate(w.Ctx(), w.Change(), again)
	w.Must(err)
	properties, err := w.Data.ListProperties(w.Ctx(), t.Facility.ID)
	w.Must(err)
	w.Equal(define, properties)
	w.Unchanged(fault.Invalid, storage.ReasonValueType, func() error {
		_, err := t.try(set("door", "d", "javascript:alert(1)"))
		return err
	})
}

func mutateDocument(w *Tree) {
	t := w.NewTwin("Tower")
	w.Unchanged(fault.Invalid, storage.ReasonDocumentAbsent, func() error {
		_, err := t.try(set("door", "d", "fine"), set("door", "d", "urn:portico:dtd:"+w.Source.UID()))
		w.Equal("1", fault.From(err).Source)
		return err
	})
	t.mutate(set("door", "d", "urn:portico:dtd:not-an-id"))
}

func mutateModels(w *Tree) {
	t := w.NewTwin("Tower")
	second := storage.TwinModel{ID: w.Source.UID(), Label: "Second", CreatedAt: w.Now()}
	w.Must(w.Data.CreateModel(w.Ctx(), w.Change(), t.Facility.ID, second))
	t.mutate(set("door", "c", "in the default model"))
	record, err := w.Data.Mutate(w.Ctx(), w.Change(), storage.Mutation{
		FacilityID: t.Facility.ID, ModelID: second.ID, Changes: []storage.ElementChange{set("door", "c", "in the second")},
	})
	w.Must(err)
	w.Equal(second.ID, record.ModelID)
	elements, _, err := w.Data.ListElements(w.Ctx(), t.Facility.ID,
		storage.ElementQuery{ModelID: second.ID}, storage.PageRequest{})
	w.Must(err)
	w.Equal([]storage.Element{{ModelID: second.ID, Key: "door",
		Values: []storage.ElementValue{{Family: "z", Column: "c", Value: `"in the second"`}}}}, elements)
	w.Equal(4, len(t.state()))
}

func mutationHistory(w *Tree) {
	t := w.NewTwin("Tower")
	t.mutate(set("door", "a", "1"), set("door", "b", "2"))
	t.mutate(set("door", "a", "3"), storage.ElementChange{Op: storage.OpClear, Key: "door", Family: "z", Column: "b"})
	t.mutate(storage.ElementChange{Op: storage.OpDelete, Key: "door"})
	want := map[int64][]storage.CellChange{
		1: {{Key: "door", Became: "true"}, {Key: "door", Family: "z", Column: "a", Became: `"1"`},
			{Key: "door", Family: "z", Column: "b", Became: `"2"`}},
		2: {{Key: "door", Family: "z", Column: "a", Was: `"1"`, Became: `"3"`},
			{Key: "door", Family: "z", Column: "b", Was: `"2"`}},
		3: {{Key: "door", Was: "true"}, {Key: "door", Family: "z", Column: "a", Was: `"3"`}},
	}
	for number, want := range want {
		var got []storage.CellChange
		for page := (storage.PageRequest{Limit: 1}); ; {
			record, changes, next, err := w.Data.FindMutation(w.Ctx(), t.Facility.ID, number, page)
			w.Must(err)
			w.Equal(number, record.Number)
			got = append(got, changes...)
			if page.After = next; next == "" {
				break
			}
		}
		w.Equal(want, got)
	}
	records, next, err := w.Data.ListMutations(w.Ctx(), t.Facility.ID, storage.PageRequest{Limit: 2})
	w.Must(err)
	w.Equal([]int64{3, 2}, []int64{records[0].Number, records[1].Number})
	records, next, err = w.Data.ListMutations(w.Ctx(), t.Facility.ID, storage.PageRequest{Limit: 2, After: next})
	w.Must(err)
	w.Equal(int64(1), records[0].Number)
	w.Equal("", next)
	_, _, _, err = w.Data.FindMutation(w.Ctx(), t.Facility.ID, 4, storage.PageRequest{})
	w.Refused(err, fault.NotFound, "")
}

func undoMutation(w *Tree) {
	t := w.NewTwin("Tower")
	var states [][]string
	for i, changes := range [][]storage.ElementChange{
		{set("door", "a", "1"), set("door", "b", "2")},
		{set("door", "a", "3"), set("wall", "a", "4"), {Op: storage.OpClear, Key: "door", Family: "z", Column: "b"}},
		{{Op: storage.OpDelete, Key: "door"}, set("wall", "a", "5")},
	} {
		states = append(states, t.state())
		w.Equal(int64(i+1), t.mutate(changes...))
	}
	last := t.state()
	for number := int64(3); number > 0; number-- {
		w.Equal(7-number, t.undo(number))
		w.Equal(states[number-1], t.state())
	}
	for number := int64(6); number > 3; number-- { // undoing is undone
		t.undo(number)
	}
	w.Equal(last, t.state())
	record, _, _, err := w.Data.FindMutation(w.Ctx(), t.Facility.ID, 3, storage.PageRequest{})
	w.Must(err)
	w.Equal(int64(0), record.UndoneBy) // it stands again
	t.undo(9)                          // what undid the undoing of 3
	record, _, _, err = w.Data.FindMutation(w.Ctx(), t.Facility.ID, 3, storage.PageRequest{})
	w.Must(err)
	w.Equal(int64(4), record.UndoneBy)
	w.Told(t.Facility.ID, slices.Concat(slices.Repeat([]string{storage.EventTwinUndone}, 7),
		slices.Repeat([]string{storage.EventTwinMutated}, 3), []string{storage.EventTwinCreated})...)
}

func undoRefused(w *Tree) {
	t := w.NewTwin("Tower")
	first := t.mutate(set("door", "a", "1"), set("wall", "a", "1"))
	second := t.mutate(set("wall", "a", "2"))
	before := t.state()
	refused := func(number int64, kind fault.Kind, reason string) {
		w.Helper()
		w.Unchanged(kind, reason, func() error {
			_, err := w.Data.UndoMutation(w.Ctx(), w.Change(), t.Facility.ID, number, "")
			return err
		})
		w.Equal(before, t.state())
	}
	refused(first, fault.Conflict, storage.ReasonOvertaken)
	refused(99, fault.NotFound, "")
	t.undo(second)
	t.undo(first) // nothing is in the way any more
	before = t.state()
	w.Equal(0, len(before))
	refused(first, fault.Conflict, storage.ReasonUndone)
}

func undoKeepsOthers(w *Tree) {
	t := w.NewTwin("Tower")
	first := t.mutate(set("door", "a", "1"))
	t.mutate(set("door", "b", "2"))
	t.undo(first)
	w.Equal([]string{"door", `door z:b="2"`}, t.state())
	bare := t.mutate(storage.ElementChange{Op: storage.OpMake, Key: "wall"})
	added := t.mutate(set("wall", "a", "1"))
	undo := func() error {
		_, err := w.Data.UndoMutation(w.Ctx(), w.Change(), t.Facility.ID, bare, "")
		return err
	}
	w.Unchanged(fault.Conflict, storage.ReasonOvertaken, undo) // nothing of it can go
	t.undo(added)
	w.Must(undo())
	w.Equal([]string{"door", `door z:b="2"`}, t.state())
}

func undoDelete(w *Tree) {
	t := w.NewTwin("Tower")
	t.mutate(set("door", "a", "1"))
	cleared := t.mutate(storage.ElementChange{Op: storage.OpClear, Key: "door", Family: "z", Column: "a"})
	deleted := t.mutate(storage.ElementChange{Op: storage.OpDelete, Key: "door"})
	w.Unchanged(fault.Conflict, storage.ReasonOvertaken, func() error {
		_, err := w.Data.UndoMutation(w.Ctx(), w.Change(), t.Facility.ID, cleared, "")
		return err
	})
	t.undo(deleted)
	w.Equal([]string{"door"}, t.state())
	t.undo(cleared)
	w.Equal([]string{"door", `door z:a="1"`}, t.state())
}

func listElements(w *Tree) {
	t := w.NewTwin("Tower")
	w.NewTwin("Other").mutate(set("elsewhere", "a", "1"))
	var want, got []string
	for i := range 5 {
		key := fmt.Sprintf("e%d", 9-i)
		want = append(want, key)
		t.mutate(set(key, "a", key))
	}
	for page := (storage.PageRequest{Limit: 2}); ; {
		elements, next, err := w.Data.ListElements(w.Ctx(), t.Facility.ID, storage.ElementQuery{}, page)
		w.Must(err)
		for _, e := range elements {
			got = append(got, e.Key)
		}
		if page.After = next; next == "" {
			break
		}
	}
	w.Equal(want, got)
	elements, _, err := w.Data.ListElements(w.Ctx(), t.Facility.ID,
		storage.ElementQuery{Keys: []string{"e7", "none", "e9"}}, storage.PageRequest{})
	w.Must(err)
	w.Equal(2, len(elements))
	_, _, err = w.Data.ListElements(w.Ctx(), t.Facility.ID, storage.ElementQuery{}, storage.PageRequest{After: "x"})
	w.Refused(err, fault.Invalid, "")
}

func mutateMany(w *Tree) {
	t := w.NewTwin("Tower")
	var changes []storage.ElementChange
	for i := range 1300 {
		changes = append(changes, set(fmt.Sprintf("e%d", i/2), fmt.Sprintf("c%d", i%2), fmt.Sprint(i)))
	}
	first := t.mutate(changes...)
	before := t.state()
	w.Equal(1950, len(before))
	for i := range changes {
		changes[i].Value = quoted("other")
	}
	t.undo(t.mutate(changes...))
	w.Equal(before, t.state())
	t.undo(first)
	w.Equal(0, len(t.state()))
}

func deleteBesideNew(w *Tree) {
	t := w.NewTwin("Tower")
	t.mutate(set("door", "a", "1"))
	number := t.mutate(set("door", "new", "2"), storage.ElementChange{Op: storage.OpDelete, Key: "door"})
	_, changes, _, err := w.Data.FindMutation(w.Ctx(), t.Facility.ID, number, storage.PageRequest{})
	w.Must(err)
	w.Equal(2, len(changes)) // the element, and its only value
	t.mutate(set("door", "b", "3"))
	w.Equal([]string{"door", `door z:b="3"`}, t.state())
}
