package transmittals

import (
	"context"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

var (
	selectSent = `
SELECT t.id, ` + engine.InTable("t", columns) + `
FROM transmittals t JOIN projects p ON p.id = t.project_id
WHERE p.uid = :project_uid AND t.number = :number`

	listSent = `
SELECT ` + engine.InTable("t", columns) + `
FROM transmittals t JOIN projects p ON p.id = t.project_id
WHERE p.uid = :project_uid AND t.number < :before
ORDER BY t.number DESC LIMIT :limit`

	// It looks at what is the reader's alone, however much was sent in the project.
	listSentOf = `
SELECT ` + engine.InTable("t", columns) + `
FROM (
	SELECT id FROM transmittals WHERE sent_by = :reader
	UNION SELECT transmittal_id FROM transmittal_people WHERE user_id = :reader
	) q JOIN transmittals t ON t.id = q.id JOIN projects p ON p.id = t.project_id
WHERE p.uid = :project_uid AND t.number < :before
ORDER BY t.number DESC LIMIT :limit`

	listVersions = `
SELECT ` + engine.InTable("v", versionColumns) + `
FROM transmittal_versions v WHERE v.transmittal_id = :id ORDER BY v.place`
)

const (
	listPeople = `
SELECT r.user_id, r.through AS "group", count(f.id) AS fetched, max(f.at) AS last_at
FROM transmittal_people r
	LEFT JOIN transmittal_fetches f ON f.transmittal_id = r.transmittal_id AND f.user_id = r.user_id
WHERE r.transmittal_id = :id
GROUP BY r.user_id, r.through ORDER BY r.user_id`

	listFetched = `
SELECT f.id, f.user_id, f.at, v.name, v.item_uid AS item_id, v.number
FROM transmittal_fetches f
	JOIN transmittal_versions v ON v.transmittal_id = f.transmittal_id AND v.place = f.place
WHERE f.transmittal_id = :id AND f.id > :after
ORDER BY f.id LIMIT :limit`
)

// ListTransmittals implements storage.TransmittalStore. The cursor is the number of
// the last one.
func (s *Transmittals) ListTransmittals(ctx context.Context, projectID, reader string,
	page storage.PageRequest) ([]storage.Transmittal, string, error) {
	query := listSent
	if reader != "" {
		query = listSentOf
	}
	return engine.PageBack(ctx, s.db, page, query, engine.Args{"project_uid": projectID, "reader": reader},
		func(t storage.Transmittal) int64 { return int64(t.Number) })
}

func (s *Transmittals) find(ctx context.Context, projectID string, number int) (sentRow, error) {
	return engine.Find[sentRow](ctx, s.db, "transmittal", selectSent,
		engine.Args{"project_uid": projectID, "number": number})
}

// FindTransmittal implements storage.TransmittalStore.
func (s *Transmittals) FindTransmittal(ctx context.Context, projectID string, number int) (storage.Transmittal,
	[]storage.SentVersion, []storage.SentTo, error) {
	row, err := s.find(ctx, projectID, number)
	if err != nil {
		return storage.Transmittal{}, nil, nil, err
	}
	versions, err := engine.All[storage.SentVersion](ctx, s.db, listVersions, engine.Args{"id": row.ID})
	if err != nil {
		return storage.Transmittal{}, nil, nil, err
	}
	to, err := engine.All[storage.SentTo](ctx, s.db, listPeople, engine.Args{"id": row.ID})
	return row.Transmittal, versions, to, err
}

// ListFetched implements storage.TransmittalStore.
func (s *Transmittals) ListFetched(ctx context.Context, projectID string, number int,
	page storage.PageRequest) ([]storage.Fetched, string, error) {
	row, err := s.find(ctx, projectID, number)
	if fault.Is(err, fault.NotFound) {
		return nil, "", nil
	}
	after := 0
	if err == nil && page.After != "" {
		after, err = engine.ParseNumber(page.After)
	}
	if err != nil {
		return nil, "", err
	}
	return engine.Page(ctx, s.db, page, listFetched, engine.Args{"id": row.ID, "after": int64(after)},
		func(f storage.Fetched) string { return strconv.FormatInt(f.ID, 10) })
}
