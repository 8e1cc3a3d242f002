package twins

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// useRow is a use in a cell.
type useRow struct {
	storage.DocumentUse
	cell
}

const (
	selectUses = `
SELECT v.document_uid AS document_id, m.uid AS model_id, e.element_key AS key, p.family, p.column_name AS "column", v.element_id, v.property_id
FROM facilities t JOIN twin_models m ON m.facility_id = t.id JOIN elements e ON e.model_id = m.id AND e.present
JOIN element_values v ON v.element_id = e.id JOIN properties p ON p.id = v.property_id`

	selectUsesOf = selectUses + `
WHERE t.uid = :facility_uid AND v.document_uid = :uid
ORDER BY v.element_id, v.property_id LIMIT :limit`
)

func (r useRow) record() storage.DocumentUse { return r.DocumentUse }

// ListUses implements storage.DocumentStore. The cursor is the cell.
func (s *Twins) ListUses(ctx context.Context, facilityID, documentID string,
	page storage.PageRequest) ([]storage.DocumentUse, string, error) {
	after, err := parseCell(page.After)
	if err != nil {
		return nil, "", err
	}
	f := engine.NewFilter()
	f.Add("t.uid = " + f.Bind(facilityID))
	if documentID != "" {
		f.Add("v.document_uid = " + f.Bind(documentID))
	} else {
		f.Add("v.document_uid <> ''")
	}
	element, property := f.Bind(after.Element), f.Bind(after.Property)
	f.Add("(v.element_id > " + element + " OR (v.element_id = " + element + " AND v.property_id > " + property + "))")
	text := selectUses + f.Clause() + "\nORDER BY v.element_id, v.property_id LIMIT :limit"
	rows, next, err := engine.Page(ctx, s.db, page, text, f.Args,
		func(r useRow) string { return r.cell.cursor() })
	return engine.Records(rows, useRow.record), next, err
}
