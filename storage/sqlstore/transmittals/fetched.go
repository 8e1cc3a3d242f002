package transmittals

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	// What is in it that this person has not fetched.
	selectUnfetched = `
SELECT v.place, v.item_uid AS item_id, v.number
FROM transmittal_versions v JOIN transmittal_people r ON r.transmittal_id = v.transmittal_id
WHERE v.transmittal_id = :id AND r.user_id = :user_id AND NOT EXISTS (
	SELECT 1 FROM transmittal_fetches f
	WHERE f.transmittal_id = v.transmittal_id AND f.user_id = r.user_id AND f.place = v.place)`

	insertFetched = `
INSERT INTO transmittal_fetches (transmittal_id, user_id, place, at)
SELECT * FROM (%s) n WHERE true
ON CONFLICT DO NOTHING`

	selectFiles = `
SELECT s.item_uid AS item_id, s.number, s.name, v.created_at, v.size, o.id IS NOT NULL AS stored,
	coalesce(o.blob, '') AS blob, o.crc32, coalesce(o.scan, '') AS scan, coalesce(o.finding, '') AS finding
FROM transmittals t JOIN projects p ON p.id = t.project_id
	JOIN transmittal_versions s ON s.transmittal_id = t.id
	JOIN items i ON i.uid = s.item_uid AND i.project_id = p.id
	JOIN versions v ON v.item_id = i.id AND v.number = s.number
	LEFT JOIN objects o ON o.id = v.object_id
WHERE p.uid = :project_uid AND t.number = :number`
)

// NoteFetched implements storage.TransmittalStore. It looks first: nothing is written
// for what was fetched before.
func (s *Transmittals) NoteFetched(ctx context.Context, projectID string, number int, userID string,
	refs []storage.VersionRef, at time.Time) error {
	row, err := s.find(ctx, projectID, number)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	left, err := engine.All[struct {
		Place int64
		storage.VersionRef
	}](ctx, s.db, selectUnfetched, engine.Args{"id": row.ID, "user_id": userID})
	if err != nil {
		return err
	}
	named := map[storage.VersionRef]bool{}
	for _, ref := range refs {
		named[ref] = true
	}
	var rows [][]any
	for _, one := range left {
		if named[one.VersionRef] {
			rows = append(rows, []any{row.ID, userID, one.Place, at.UnixMicro()})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return s.db.Write(ctx, func(t engine.Tx) error { return t.ExecRows(ctx, insertFetched, rows) })
}

// ListSentFiles implements storage.TransmittalStore.
func (s *Transmittals) ListSentFiles(ctx context.Context, projectID string, number int) ([]storage.PackedFile, error) {
	return engine.All[storage.PackedFile](ctx, s.db, selectFiles,
		engine.Args{"project_uid": projectID, "number": number})
}
