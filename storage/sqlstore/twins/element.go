package twins

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type elementRow struct {
	ID       int64  `db:"id"`
	ModelUID string `db:"model_uid"`
	Key      string `db:"element_key"`
}

type elementValueRow struct {
	Element int64  `db:"element_id"`
	Family  string `db:"family"`
	Column  string `db:"column_name"`
	Value   string `db:"value"`
}

const (
	selectElements = `
SELECT e.id, m.uid AS model_uid, e.element_key
FROM facilities t JOIN elements e ON e.facility_id = t.id JOIN twin_models m ON m.id = e.model_id`

	selectElementValues = `
SELECT v.element_id, p.family, p.column_name, v.value
FROM element_values v JOIN properties p ON p.id = v.property_id
WHERE v.value <> '' AND v.element_id IN (?) ORDER BY v.element_id, p.family, p.column_name`

	selectMutationPage = selectMutations + `
WHERE u.facility_id = (SELECT id FROM facilities WHERE uid = :uid) AND (:before = 0 OR u.number < :before)
ORDER BY u.number DESC LIMIT :limit`

	selectMutationOf = selectMutations + `
WHERE u.facility_id = (SELECT id FROM facilities WHERE uid = :uid) AND u.number = :number`

	selectCellChanges = `
SELECT c.element_id, c.property_id, e.element_key, coalesce(p.family, '') AS family, coalesce(p.column_name, '') AS column_name,
	c.was, c.became
FROM mutation_changes c JOIN elements e ON e.id = c.element_id LEFT JOIN properties p ON p.id = c.property_id
WHERE c.mutation_id = :id AND (c.element_id > :element OR (c.element_id = :element AND c.property_id > :property))
ORDER BY c.element_id, c.property_id LIMIT :limit`
)

// ListElements implements storage.ElementStore. The cursor is the id of the
// last one.
func (s *Twins) ListElements(ctx context.Context, facilityID string, query storage.ElementQuery, page storage.PageRequest) ([]storage.Element, string, error) {
	limit, err := engine.PageLimit(page)
	if err != nil {
		return nil, "", err
	}
	if len(query.Keys) > storage.MaxPage {
		return nil, "", fault.Newf(fault.Invalid, "", "At most %d keys at once.", storage.MaxPage)
	}
	f := engine.NewFilter()
	f.Add("t.uid = " + f.Bind(facilityID) + " AND e.present")
	if query.ModelID != "" {
		f.Add("m.uid = " + f.Bind(query.ModelID))
	}
	f.In("e.element_key", query.Keys)
	if page.After != "" {
		after, err := engine.ParseNumber(page.After)
		if err != nil {
			return nil, "", err
		}
		f.Add("e.id > " + f.Bind(after))
	}
	var rows []elementRow
	text := selectElements + f.Clause() + "\nORDER BY e.id LIMIT " + f.Bind(limit+1)
	if err := s.db.List(ctx, &rows, text, f.Args); err != nil {
		return nil, "", engine.AsFault(err)
	}
	rows, next := engine.CutPage(rows, limit, func(r elementRow) string { return strconv.FormatInt(r.ID, 10) })
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
		of.Values = append(of.Values, storage.ElementValue{Family: v.Family, Column: v.Column, Value: v.Value})
	}
	return elements, nil
}

// ListMutations implements storage.ElementStore. The cursor is the number of
// the last one.
func (s *Twins) ListMutations(ctx context.Context, facilityID string, page storage.PageRequest) ([]storage.MutationRecord, string, error) {
	limit, err := engine.PageLimit(page)
	if err != nil {
		return nil, "", err
	}
	before := 0
	if page.After != "" {
		if before, err = engine.ParseNumber(page.After); err != nil {
			return nil, "", err
		}
	}
	var rows []mutationRow
	err = s.db.List(ctx, &rows, selectMutationPage, engine.Args{"uid": facilityID, "before": before, "limit": limit + 1})
	if err != nil {
		return nil, "", engine.AsFault(err)
	}
	rows, next := engine.CutPage(rows, limit, func(r mutationRow) string { return strconv.FormatInt(r.Number, 10) })
	return engine.Records(rows, mutationRow.record), next, nil
}

// FindMutation implements storage.ElementStore. The cursor is the cell.
func (s *Twins) FindMutation(ctx context.Context, facilityID string, number int64, page storage.PageRequest) (storage.MutationRecord, []storage.CellChange, string, error) {
	var none storage.MutationRecord
	limit, err := engine.PageLimit(page)
	if err != nil {
		return none, nil, "", err
	}
	var after [2]int64
	if page.After != "" && json.Unmarshal([]byte(page.After), &after) != nil {
		return none, nil, "", engine.BadCursor()
	}
	var mutation mutationRow
	if err := s.db.Get(ctx, &mutation, selectMutationOf, engine.Args{"uid": facilityID, "number": number}); err != nil {
		return none, nil, "", engine.OrAbsent(err, "mutation")
	}
	var rows []struct {
		cellChangeRow
		Key    string `db:"element_key"`
		Family string `db:"family"`
		Column string `db:"column_name"`
	}
	arg := engine.Args{"id": mutation.ID, "element": after[0], "property": after[1], "limit": limit + 1}
	if err := s.db.List(ctx, &rows, selectCellChanges, arg); err != nil {
		return none, nil, "", engine.AsFault(err)
	}
	next := ""
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		cursor, _ := json.Marshal([2]int64{last.Element, last.Property}) // numbers can always be encoded
		next = string(cursor)
	}
	changes := make([]storage.CellChange, len(rows))
	for i, r := range rows {
		changes[i] = storage.CellChange{Key: r.Key, Family: r.Family, Column: r.Column, Was: r.Was, Became: r.Became}
	}
	return mutation.record(), changes, next, nil
}
