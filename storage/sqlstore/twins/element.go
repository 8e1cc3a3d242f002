package twins

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type elementRow struct {
	ID       int64
	ModelUID string
	Key      string `db:"element_key"`
}

type elementValueRow struct {
	Element int64 `db:"element_id"`
	storage.ElementValue
}

const (
	selectElements = `
SELECT e.id, m.uid AS model_uid, e.element_key
FROM facilities t JOIN elements e ON e.facility_id = t.id JOIN twin_models m ON m.id = e.model_id`

	selectElementValues = `
SELECT v.element_id, p.family, p.column_name AS "column", v.value
FROM element_values v JOIN properties p ON p.id = v.property_id
WHERE v.value <> '' AND v.element_id IN (?) ORDER BY v.element_id, p.family, p.column_name`

	selectCellChanges = `
SELECT c.element_id, c.property_id, e.element_key AS key, coalesce(p.family, '') AS family, coalesce(p.column_name, '') AS "column",
	c.was, c.became
FROM mutation_changes c JOIN elements e ON e.id = c.element_id LEFT JOIN properties p ON p.id = c.property_id
WHERE c.mutation_id = :id AND (c.element_id, c.property_id) > (:element, :property)
ORDER BY c.element_id, c.property_id LIMIT :limit`
)

var (
	selectMutationPage = selectMutations + `
WHERE u.facility_id = (SELECT id FROM facilities WHERE uid = :uid) AND u.number < :before
ORDER BY u.number DESC LIMIT :limit`

	selectMutationOf = selectMutations + `
WHERE u.facility_id = (SELECT id FROM facilities WHERE uid = :uid) AND u.number = :number`
)

// ListElements implements storage.ElementStore. The cursor is the id of the
// last one.
func (s *Twins) ListElements(ctx context.Context, facilityID string, query storage.ElementQuery,
	page storage.PageRequest) ([]storage.Element, string, error) {
	if len(query.Keys) > storage.MaxPage {
		return nil, "", fault.Newf(fault.Invalid, "", "At most %d keys at once.", storage.MaxPage)
	}
	f := engine.NewFilter()
	f.Add("t.uid = " + f.Bind(facilityID) + " AND e.present")
	if query.ModelID != "" {
		f.Add("m.uid = " + f.Bind(query.ModelID))
	}
	f.In("e.element_key", query.Keys)
	rows, next, err := engine.PageByNumber(ctx, s.db, page, selectElements, f, "e.id",
		func(r elementRow) int64 { return r.ID })
	if err != nil {
		return nil, "", err
	}
	elements, err := s.withValues(ctx, rows)
	return elements, next, err
}

func (s *Twins) withValues(ctx context.Context, rows []elementRow) ([]storage.Element, error) {
	ids, place := make([]int64, len(rows)), map[int64]int{}
	elements := make([]storage.Element, len(rows))
	for i, row := range rows {
		ids[i], place[row.ID] = row.ID, i
		elements[i] = storage.Element{ModelID: row.ModelUID, Key: row.Key}
	}
	var values []elementValueRow
	if err := engine.ReadAmong(ctx, s.db, &values, selectElementValues, ids); err != nil {
		return nil, engine.AsFault(err)
	}
	for _, v := range values {
		of := &elements[place[v.Element]]
		of.Values = append(of.Values, v.ElementValue)
	}
	return elements, nil
}

// ListMutations implements storage.ElementStore. The cursor is the number of
// the last one.
func (s *Twins) ListMutations(ctx context.Context, facilityID string,
	page storage.PageRequest) ([]storage.MutationRecord, string, error) {
	rows, next, err := engine.PageBack(ctx, s.db, page, selectMutationPage, engine.Args{"uid": facilityID},
		func(r mutationRow) int64 { return r.Number })
	return engine.Records(rows, mutationRow.record), next, err
}

// FindMutation implements storage.ElementStore. The cursor is the cell.
func (s *Twins) FindMutation(ctx context.Context, facilityID string, number int64,
	page storage.PageRequest) (storage.MutationRecord, []storage.CellChange, string, error) {
	after, err := parseCell(page.After)
	if err != nil {
		return storage.MutationRecord{}, nil, "", err
	}
	mutation, err := engine.Find[mutationRow](ctx, s.db, "mutation", selectMutationOf,
		engine.Args{"uid": facilityID, "number": number})
	if err != nil {
		return storage.MutationRecord{}, nil, "", err
	}
	arg := engine.Args{"id": mutation.ID, "element": after.Element, "property": after.Property}
	rows, next, err := engine.Page(ctx, s.db, page, selectCellChanges, arg, func(r keyedChange) string {
		return r.cell.cursor()
	})
	return mutation.record(), engine.Records(rows, keyedChange.record), next, err
}

// keyedChange is a change of a cell that is named as the contract does.
type keyedChange struct {
	cell
	storage.CellChange
}

func (r keyedChange) record() storage.CellChange { return r.CellChange }
