package twins

import (
	"cmp"
	"context"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type mutationRow struct {
	ID, FacilityID, ModelID int64
	ModelUID                string
	storage.MutationRecord
	storage.Caller
}

const mutationColumns = `number, model_id, description, at, actor_kind, actor_id, client_id, user_id, on_behalf, undoes, undone_by`

var insertMutation = engine.Insert("mutations", "facility_id, "+mutationColumns) + `
RETURNING id`

const (
	insertMutationChanges = `
INSERT INTO mutation_changes (mutation_id, element_id, property_id, was, became) %s`

	upsertElementValues = `
INSERT INTO element_values (element_id, property_id, value, document_uid) %s
ON CONFLICT (element_id, property_id) DO UPDATE SET value = excluded.value, document_uid = excluded.document_uid`

	updatePresent = `
UPDATE elements SET present = :present WHERE id {among ids}`

	selectDocumentsKnown = `
SELECT uid FROM twin_documents WHERE facility_id = ? AND uid IN (?)`
)

func (r mutationRow) record() storage.MutationRecord {
	r.MutationRecord.ModelID, r.MutationRecord.Caller = r.ModelUID, r.Caller
	return r.MutationRecord
}

// Mutate implements storage.ElementStore. What is to be changed is read, the
// operations are applied to it in memory, and what is another by then is
// written.
func (s *Twins) Mutate(ctx context.Context, change storage.Change,
	mutation storage.Mutation) (storage.MutationRecord, error) {
	var done storage.MutationRecord
	err := s.inFacility(ctx, mutation.FacilityID, func(tx tx, facility facilityRow) error {
		b, err := tx.newBoard(ctx, facility, mutation.ModelID)
		if err != nil {
			return err
		}
		if err := b.look(ctx, mutation); err != nil {
			return err
		}
		if err := b.apply(mutation); err != nil {
			return err
		}
		if err := b.checkDocuments(ctx, mutation); err != nil {
			return err
		}
		done, err = b.save(ctx, change, storage.MutationRecord{Description: mutation.Description})
		if err != nil || done.Number == 0 {
			return err
		}
		return tx.Tell(ctx, change, storage.EventTwinMutated, facility.event(),
			engine.Detail{"model": done.ModelID, "mutation": done.Number})
	})
	return done, err
}

// save writes what the board has otherwise than the tables, and that it was so.
func (b *board) save(ctx context.Context, change storage.Change,
	record storage.MutationRecord) (storage.MutationRecord, error) {
	record.ModelID, record.At = b.model.UID, change.At
	record.Actor, record.Caller = change.Actor, change.Caller
	if err := b.saveProperties(ctx); err != nil {
		return record, err
	}
	changed := b.changed()
	if len(changed) == 0 {
		return record, nil
	}
	b.facility.Mutations++
	record.Number = b.facility.Mutations
	if err := b.saveCells(ctx, changed); err != nil {
		return record, err
	}
	if err := b.tx.touch(ctx, change, b.facility); err != nil {
		return record, err
	}
	return record, b.saveHistory(ctx, record, changed)
}

// changed returns the cells that are not as they were, in order.
func (b *board) changed() []cell {
	var all []cell
	for c, value := range b.now {
		if value != b.was[c] {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(x, y cell) int {
		return cmp.Or(cmp.Compare(x.Element, y.Element), cmp.Compare(x.Property, y.Property))
	})
	return all
}

func (b *board) saveProperties(ctx context.Context) error {
	rows := engine.Table{Name: "properties",
		Columns: []string{"id", "facility_id", "family", "column_name", "name", "type"}}
	for _, p := range b.added {
		rows.Add(p.ID, b.facility.ID, p.Family, p.Column, p.Name, string(p.Type))
	}
	if len(rows.Rows) == 0 {
		return nil
	}
	return b.tx.InsertAll(ctx, rows)
}

// saveCells writes elements before their values.
func (b *board) saveCells(ctx context.Context, changed []cell) error {
	elements := engine.Table{Name: "elements",
		Columns: []string{"id", "facility_id", "model_id", "element_key", "present"}}
	var values [][]any
	present := map[bool][]int64{} // elements that are there otherwise than before
	for _, c := range changed {
		value := b.now[c]
		switch {
		case c.Property != 0:
			values = append(values, []any{c.Element, c.Property, value, documentIn(value)})
		case b.fresh[c.Element] != "":
			elements.Add(c.Element, b.facility.ID, b.model.ID, b.fresh[c.Element], true)
		default:
			present[value != ""] = append(present[value != ""], c.Element)
		}
	}
	for is, ids := range present {
		_, err := b.tx.Exec(ctx, updatePresent, engine.Args{"ids": b.tx.Array(ids), "present": is})
		if err != nil {
			return err
		}
	}
	if len(elements.Rows) > 0 {
		if err := b.tx.InsertAll(ctx, elements); err != nil {
			return err
		}
	}
	return b.tx.ExecRows(ctx, upsertElementValues, values)
}

func (b *board) saveHistory(ctx context.Context, record storage.MutationRecord, changed []cell) error {
	var id int64
	err := b.tx.Get(ctx, &id, insertMutation, mutationRow{
		FacilityID: b.facility.ID, ModelID: b.model.ID, MutationRecord: record, Caller: record.Caller,
	})
	if err != nil {
		return err
	}
	rows := make([][]any, len(changed))
	for i, c := range changed {
		rows[i] = []any{id, c.Element, c.Property, b.was[c], b.now[c]}
	}
	return b.tx.ExecRows(ctx, insertMutationChanges, rows)
}

// checkDocuments refuses values that name documents which the facility does not
// have. What is there already may: its document was deleted since.
func (b *board) checkDocuments(ctx context.Context, mutation storage.Mutation) error {
	named := map[string]int{}
	for i, c := range mutation.Changes {
		uid := documentIn(c.Value)
		if uid == "" || c.Op != storage.OpWrite && c.Op != storage.OpWriteDiff {
			continue
		}
		if b.was[cell{b.elements[c.Key], b.properties[[2]string{c.Family, c.Column}].ID}] != c.Value {
			named[uid] = i
		}
	}
	var uids, known []string
	for uid := range named {
		uids = append(uids, uid)
	}
	if err := engine.Among(ctx, b.tx, &known, selectDocumentsKnown, uids, b.facility.ID); err != nil {
		return err
	}
	for uid, i := range named {
		if !slices.Contains(known, uid) {
			return atChange(fault.New(fault.Invalid, storage.ReasonDocumentAbsent,
				"The facility has no such document: import it first."), i)
		}
	}
	return nil
}
