package sqlstore

import (
	"context"
	"encoding/json"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
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

	// Those that are due already are so anew: somebody may be looking at them.
	dueOfBearer = `
UPDATE twin_documents SET due_at = :now WHERE by_user = :id OR by_client = :id`

	postponeDocument = `
UPDATE twin_documents SET due_at = :at WHERE uid = :uid`
)

func (r useRow) record() storage.DocumentUse {
	return storage.DocumentUse{DocumentID: r.DocumentUID, ModelID: r.ModelUID, Key: r.Key, Family: r.Family, Column: r.Column}
}

// ListUses implements storage.DocumentStore. The cursor is the cell.
func (s *Store) ListUses(ctx context.Context, facilityID, documentID string, page storage.PageRequest) ([]storage.DocumentUse, string, error) {
	limit, err := pageLimit(page)
	if err != nil {
		return nil, "", err
	}
	var after [2]int64
	if page.After != "" && json.Unmarshal([]byte(page.After), &after) != nil {
		return nil, "", badCursor()
	}
	f := newFilter()
	f.add("t.uid = " + f.bind(facilityID))
	if documentID != "" {
		f.add("v.document_uid = " + f.bind(documentID))
	} else {
		f.add("v.document_uid <> ''")
	}
	element, property := f.bind(after[0]), f.bind(after[1])
	f.add("(v.element_id > " + element + " OR (v.element_id = " + element + " AND v.property_id > " + property + "))")
	var rows []useRow
	text := selectUses + f.clause() + "\nORDER BY v.element_id, v.property_id LIMIT " + f.bind(limit+1)
	if err := s.reader.list(ctx, &rows, text, f.args); err != nil {
		return nil, "", asFault(err)
	}
	rows, next := cutPage(rows, limit, func(r useRow) string {
		cursor, _ := json.Marshal([2]int64{r.Element, r.Property}) // numbers can always be encoded
		return string(cursor)
	})
	return records(rows, useRow.record), next, nil
}

// NoteBlobs implements storage.DocumentStore.
func (s *Store) NoteBlobs(ctx context.Context, now time.Time, blobs []string) error {
	return s.write(ctx, func(tx tx) error {
		for _, blob := range blobs {
			if _, err := tx.exec(ctx, insertBlob, args{"blob": blob, "at": at(now)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// ListNotedBlobs implements storage.DocumentStore.
func (s *Store) ListNotedBlobs(ctx context.Context, before time.Time, limit int) ([]string, error) {
	var blobs []string
	err := s.reader.list(ctx, &blobs, selectNotedBlobs, args{"before": at(before), "limit": limit})
	return blobs, asFault(err)
}

// ForgetBlobs implements storage.DocumentStore.
func (s *Store) ForgetBlobs(ctx context.Context, blobs []string) error {
	return s.write(ctx, func(tx tx) error {
		for _, blob := range blobs {
			if _, err := tx.exec(ctx, deleteBlob, args{"blob": blob}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Position implements storage.DocumentStore.
func (s *Store) Position(ctx context.Context, follower string) (int64, error) {
	var position int64
	err := s.reader.get(ctx, &position, selectPosition, args{"name": follower})
	return position, asFault(err)
}

// Advance implements storage.DocumentStore.
func (s *Store) Advance(ctx context.Context, follower string, to int64, now time.Time, due []storage.Touched) error {
	return s.write(ctx, func(tx tx) error {
		n, err := tx.exec(ctx, upsertPosition, args{"name": follower, "position": to})
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
			if _, err := tx.exec(ctx, query, args{"id": id, "now": at(now), "urgent": at(now.Add(-urgency))}); err != nil {
				return err
			}
		}
		return nil
	})
}

// urgency is how much longer than others a document is due whose own item was
// touched.
const urgency = time.Hour

// followersOf makes the documents due that follow their originals in the name of
// a user, service account or client, whose rights begin or end.
func (t tx) followersOf(ctx context.Context, act storage.Act, id string) error {
	_, err := t.exec(ctx, dueOfBearer, args{"id": id, "now": at(act.At)})
	return err
}

// ListDue implements storage.DocumentStore.
func (s *Store) ListDue(ctx context.Context, now time.Time, limit int) ([]storage.TwinDocument, error) {
	if limit > storage.MaxPage {
		return nil, fault.Newf(fault.Invalid, "", "At most %d documents at once.", storage.MaxPage)
	}
	var rows []documentRow
	err := s.reader.list(ctx, &rows, selectDue, args{"now": at(now), "limit": limit})
	return records(rows, documentRow.record), asFault(err)
}

// Postpone implements storage.DocumentStore.
func (s *Store) Postpone(ctx context.Context, documentID string, to time.Time) error {
	_, err := s.writeOne(ctx, postponeDocument, args{"uid": documentID, "at": at(to)})
	return err
}
