package twins

import (
	"context"
	"encoding/json"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

type useRow struct {
	DocumentUID string `db:"document_uid"`
	ModelUID    string `db:"model_uid"`
	Key         string `db:"element_key"`
	Family      string `db:"family"`
	Column      string `db:"column_name"`
	Element     int64  `db:"element_id"`
	Property    int64  `db:"property_id"`
}

const (
	selectUses = `
SELECT v.document_uid, m.uid AS model_uid, e.element_key, p.family, p.column_name, v.element_id, v.property_id
FROM facilities t JOIN twin_models m ON m.facility_id = t.id JOIN elements e ON e.model_id = m.id AND e.present
JOIN element_values v ON v.element_id = e.id JOIN properties p ON p.id = v.property_id`

	selectUsesOf = selectUses + `
WHERE t.uid = :facility_uid AND v.document_uid = :uid
ORDER BY v.element_id, v.property_id LIMIT :limit`

	selectNotedBlobs = `
SELECT b.blob FROM twin_blobs b
WHERE b.noted_at <= :before AND NOT EXISTS (SELECT 1 FROM twin_documents d WHERE d.blob = b.blob)
ORDER BY b.noted_at LIMIT :limit`

	selectPosition = `
SELECT coalesce((SELECT position FROM event_followers WHERE name = :name), 0)`

	// The row decides which of several followers goes on.
	upsertPosition = `
INSERT INTO event_followers (name, position) VALUES (:name, :position)
ON CONFLICT (name) DO UPDATE SET position = excluded.position WHERE event_followers.position < excluded.position`

	selectDue = selectDocuments + `
WHERE d.due_at <= :now ORDER BY d.due_at, d.id LIMIT :limit`

	// What was touched makes documents due, unless they are already. A change of
	// rights touches thousands, a new version one, which goes before them.
	dueOfItem = `
UPDATE twin_documents SET due_at = :urgent WHERE source_item = :id AND (due_at IS NULL OR due_at > :urgent)`

	dueOfProject = `
UPDATE twin_documents SET due_at = :now WHERE source_project = :id AND (due_at IS NULL OR due_at > :now)`

	dueOfHub = `
UPDATE twin_documents SET due_at = :now WHERE source_hub = :id AND (due_at IS NULL OR due_at > :now)`

	dueAll = `
UPDATE twin_documents SET due_at = :now WHERE due_at IS NULL OR due_at > :now`

	postponeDocument = `
UPDATE twin_documents SET due_at = :at WHERE uid = :uid`
)

func (r useRow) record() storage.DocumentUse {
	return storage.DocumentUse{DocumentID: r.DocumentUID, ModelID: r.ModelUID, Key: r.Key, Family: r.Family, Column: r.Column}
}

// ListUses implements storage.DocumentStore. The cursor is the cell.
func (s *Twins) ListUses(ctx context.Context, facilityID, documentID string, page storage.PageRequest) ([]storage.DocumentUse, string, error) {
	limit, err := engine.PageLimit(page)
	if err != nil {
		return nil, "", err
	}
	var after [2]int64
	if page.After != "" && json.Unmarshal([]byte(page.After), &after) != nil {
		return nil, "", engine.BadCursor()
	}
	f := engine.NewFilter()
	f.Add("t.uid = " + f.Bind(facilityID))
	if documentID != "" {
		f.Add("v.document_uid = " + f.Bind(documentID))
	} else {
		f.Add("v.document_uid <> ''")
	}
	element, property := f.Bind(after[0]), f.Bind(after[1])
	f.Add("(v.element_id > " + element + " OR (v.element_id = " + element + " AND v.property_id > " + property + "))")
	var rows []useRow
	text := selectUses + f.Clause() + "\nORDER BY v.element_id, v.property_id LIMIT " + f.Bind(limit+1)
	if err := s.db.List(ctx, &rows, text, f.Args); err != nil {
		return nil, "", engine.AsFault(err)
	}
	rows, next := engine.CutPage(rows, limit, func(r useRow) string {
		cursor, _ := json.Marshal([2]int64{r.Element, r.Property}) // numbers can always be encoded
		return string(cursor)
	})
	return engine.Records(rows, useRow.record), next, nil
}

// NoteBlobs implements storage.DocumentStore.
func (s *Twins) NoteBlobs(ctx context.Context, now time.Time, blobs []string) error {
	return s.write(ctx, func(tx tx) error {
		for _, blob := range blobs {
			if _, err := tx.Exec(ctx, insertBlob, engine.Args{"blob": blob, "at": engine.At(now)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// ListNotedBlobs implements storage.DocumentStore.
func (s *Twins) ListNotedBlobs(ctx context.Context, before time.Time, limit int) ([]string, error) {
	var blobs []string
	err := s.db.List(ctx, &blobs, selectNotedBlobs, engine.Args{"before": engine.At(before), "limit": limit})
	return blobs, engine.AsFault(err)
}

// ForgetBlobs implements storage.DocumentStore.
func (s *Twins) ForgetBlobs(ctx context.Context, blobs []string) error {
	return s.write(ctx, func(tx tx) error {
		for _, blob := range blobs {
			if _, err := tx.Exec(ctx, deleteBlob, engine.Args{"blob": blob}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Position implements storage.DocumentStore.
func (s *Twins) Position(ctx context.Context, follower string) (int64, error) {
	var position int64
	err := s.db.Get(ctx, &position, selectPosition, engine.Args{"name": follower})
	return position, engine.AsFault(err)
}

// Advance implements storage.DocumentStore.
func (s *Twins) Advance(ctx context.Context, follower string, to int64, now time.Time, due []storage.Touched) error {
	return s.write(ctx, func(tx tx) error {
		n, err := tx.Exec(ctx, upsertPosition, engine.Args{"name": follower, "position": to})
		if err != nil || n == 0 {
			return err
		}
		for _, touched := range due {
			query, id := dueOfItem, touched.ItemID
			switch {
			case touched == (storage.Touched{}):
				query = dueAll
			case touched.ProjectID != "":
				query, id = dueOfProject, touched.ProjectID
			case touched.HubID != "":
				query, id = dueOfHub, touched.HubID
			}
			if _, err := tx.Exec(ctx, query, engine.Args{"id": id, "now": engine.At(now), "urgent": engine.At(now.Add(-urgency))}); err != nil {
				return err
			}
		}
		return nil
	})
}

// urgency is how much longer than others a document is due whose own item was
// touched.
const urgency = time.Hour

// ListDue implements storage.DocumentStore.
func (s *Twins) ListDue(ctx context.Context, now time.Time, limit int) ([]storage.TwinDocument, error) {
	if limit > storage.MaxPage {
		return nil, fault.Newf(fault.Invalid, "", "At most %d documents at once.", storage.MaxPage)
	}
	var rows []documentRow
	err := s.db.List(ctx, &rows, selectDue, engine.Args{"now": engine.At(now), "limit": limit})
	return engine.Records(rows, documentRow.record), engine.AsFault(err)
}

// Postpone implements storage.DocumentStore.
func (s *Twins) Postpone(ctx context.Context, documentID string, to time.Time) error {
	_, err := s.db.WriteOne(ctx, postponeDocument, engine.Args{"uid": documentID, "at": engine.At(to)})
	return err
}
