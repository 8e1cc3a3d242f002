package transmittals

import (
	"context"
	"strconv"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const selectOwn = `
SELECT t.id, p.uid AS project_id, t.number, t.title, t.sent_at, t.sent_by = :user_id AS sent,
	CASE WHEN t.sent_by = :user_id THEN t.message ELSE '' END AS message,
	(SELECT count(*) FROM transmittal_fetches f WHERE f.transmittal_id = t.id AND f.user_id = :user_id) AS fetched,
	(SELECT max(f.at) FROM transmittal_fetches f WHERE f.transmittal_id = t.id AND f.user_id = :user_id) AS last_at
FROM (
	SELECT id FROM transmittals WHERE sent_by = :user_id AND id > :after
	UNION SELECT transmittal_id FROM transmittal_people WHERE user_id = :user_id AND transmittal_id > :after
	ORDER BY id LIMIT :limit) q JOIN transmittals t ON t.id = q.id JOIN projects p ON p.id = t.project_id
ORDER BY t.id`

type ownRow struct {
	ID int64
	storage.OwnTransmittal
}

func (r ownRow) record() storage.OwnTransmittal { return r.OwnTransmittal }

// ListOwnTransmittals implements storage.PersonStore.
func (s *Transmittals) ListOwnTransmittals(ctx context.Context, userID string,
	page storage.PageRequest) ([]storage.OwnTransmittal, string, error) {
	after := 0
	if page.After != "" {
		var err error
		if after, err = engine.ParseNumber(page.After); err != nil {
			return nil, "", err
		}
	}
	rows, next, err := engine.Page(ctx, s.db, page, selectOwn, engine.Args{"user_id": userID, "after": int64(after)},
		func(r ownRow) string { return strconv.FormatInt(r.ID, 10) })
	return engine.Records(rows, ownRow.record), next, err
}
