package twins

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
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

var selectDue = selectDocuments + `
WHERE d.due_at <= :now ORDER BY d.due_at, d.id LIMIT :limit`

// NoteBlobs implements storage.DocumentStore.
func (s *Twins) NoteBlobs(ctx context.Context, now time.Time, blobs []string) error {
	return s.write(ctx, func(tx tx) error {
		for _, blob := range blobs {
			if _, err := tx.Exec(ctx, insertBlob, engine.Args{"blob": blob, "at": now}); err != nil {
				return err
			}
		}
		return nil
	})
}

// ListNotedBlobs implements storage.DocumentStore.
func (s *Twins) ListNotedBlobs(ctx context.Context, before time.Time, limit int) ([]string, error) {
	return engine.All[string](ctx, s.db, selectNotedBlobs, engine.Args{"before": before, "limit": limit})
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
			if _, err := tx.Exec(ctx, query, engine.Args{"id": id, "now": now, "urgent": now.Add(-urgency)}); err != nil {
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
	rows, err := engine.All[documentRow](ctx, s.db, selectDue, engine.Args{"now": now, "limit": limit})
	return engine.Records(rows, documentRow.record), err
}

// Postpone implements storage.DocumentStore.
func (s *Twins) Postpone(ctx context.Context, documentID string, to time.Time) error {
	_, err := s.db.WriteOne(ctx, postponeDocument, engine.Args{"uid": documentID, "at": to})
	return err
}
