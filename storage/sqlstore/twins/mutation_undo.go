package twins

import (
	"context"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type cellChangeRow struct {
	cell
	Was, Became string
}

const (
	selectMutationChanges = `
SELECT element_id, property_id, was, became FROM mutation_changes WHERE mutation_id = :id`

	selectPresent = `
SELECT id FROM elements WHERE present AND id IN (?)`

	updateUndone = `
UPDATE mutations SET undone_by = :by WHERE id = :id`
)

var (
	selectMutations = `
SELECT u.id, m.uid AS model_uid, ` + engine.InTable("u", mutationColumns) + `
FROM mutations u JOIN twin_models m ON m.id = u.model_id`

	selectMutation = selectMutations + `
WHERE u.facility_id = :facility_id AND u.number = :number`
)

// UndoMutation implements storage.ElementStore. The values decide, not the
// order: what others have changed and brought back is no obstacle.
func (s *Twins) UndoMutation(ctx context.Context, change storage.Change, facilityID string, number int64,
	description string) (storage.MutationRecord, error) {
	var done storage.MutationRecord
	err := s.inFacility(ctx, facilityID, func(tx tx, facility facilityRow) error {
		var mutation mutationRow
		if err := tx.Get(ctx, &mutation, selectMutation,
			engine.Args{"facility_id": facility.ID, "number": number}); err != nil {
			return engine.OrAbsentRow(err, "mutation")
		}
		if mutation.UndoneBy != 0 {
			return fault.Newf(fault.Conflict, storage.ReasonUndone,
				"Mutation %d was undone by %d already.", number, mutation.UndoneBy)
		}
		b, err := tx.newBoard(ctx, facility, mutation.ModelUID)
		if err != nil {
			return err
		}
		if err := b.turnBack(ctx, mutation.ID); err != nil {
			return err
		}
		done, err = b.save(ctx, change, storage.MutationRecord{Description: description, Undoes: number})
		if err != nil {
			return err
		}
		if done.Number == 0 { // it made an element that others have added to
			return overtaken()
		}
		if err := tx.noteUndone(ctx, facility, mutation, done.Number); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventTwinUndone, facility.event(),
			engine.Detail{"mutation": done.Number, "undoes": number})
	})
	return done, err
}

// longestChain is how many mutations, each of which undid the one before, are
// looked at.
const longestChain = 100

// noteUndone says that the mutation no longer stands. What it undid itself
// stands again, so that what that undid does not, and so on.
func (t tx) noteUndone(ctx context.Context, facility facilityRow, mutation mutationRow, by int64) error {
	for range longestChain {
		if _, err := t.Exec(ctx, updateUndone, engine.Args{"id": mutation.ID, "by": by}); err != nil {
			return err
		}
		if mutation.Undoes == 0 {
			return nil
		}
		stands := by == 0
		by = 0
		if stands {
			by = mutation.Number
		}
		undone := engine.Args{"facility_id": facility.ID, "number": mutation.Undoes}
		mutation = mutationRow{}
		if err := t.Get(ctx, &mutation, selectMutation, undone); err != nil {
			return err
		}
	}
	return nil
}

// turnBack gives the cells the values that they had before the mutation, if
// they are as it left them.
func (b *board) turnBack(ctx context.Context, mutationID int64) error {
	var changes []cellChangeRow
	if err := b.tx.List(ctx, &changes, selectMutationChanges, engine.Args{"id": mutationID}); err != nil {
		return err
	}
	if err := b.lookAt(ctx, changes); err != nil {
		return err
	}
	for _, c := range changes {
		at := c.cell
		if b.was[at] != c.Became {
			return overtaken()
		}
		b.put(at, c.Was)
	}
	for _, c := range changes {
		switch itself := (cell{Element: c.Element}); {
		case c.Property == 0 && c.Was == "" && b.hasValues(c.Element):
			b.put(itself, isThere) // others have added to it
		case c.Property != 0 && c.Was != "" && b.now[itself] == "":
			return overtaken() // it was deleted
		}
	}
	return nil
}

// lookAt fills the board with the elements of the changes.
func (b *board) lookAt(ctx context.Context, changes []cellChangeRow) error {
	met := map[int64]bool{}
	var ids, present []int64
	for _, c := range changes {
		if !met[c.Element] {
			met[c.Element] = true
			ids = append(ids, c.Element)
		}
	}
	if err := engine.Among(ctx, b.tx, &present, selectPresent, ids); err != nil {
		return err
	}
	for _, id := range present {
		b.set(cell{Element: id}, isThere)
	}
	return b.lookForValues(ctx, ids)
}

func (b *board) hasValues(element int64) bool {
	return slices.ContainsFunc(b.cells[element], func(c cell) bool { return c.Property != 0 && b.now[c] != "" })
}

func overtaken() error {
	return fault.New(fault.Conflict, storage.ReasonOvertaken,
		"Some of these values were changed since: change them by hand.")
}
