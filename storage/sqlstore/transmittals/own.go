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
FROM transmittals t JOIN projects p ON p.id = t.project_id
WHERE t.id > :after AND (t.sent_by = :user_id OR EXISTS (
	SELECT 1 FROM transmittal_people r WHERE r.transmittal_id = t.id AND r.user_id = :user_id))
ORDER BY t.id LIMIT :limit`

type ownRow struct {
	ID int64
	storage.OwnTransmittal
}

func (r ownRow) record() storage.OwnTransmittal { return r.OwnTransmittal }

// ListOwnTransmittals implements storage.PersonStore. It reads all that was ever sent:
// somebody takes what there is of them seldom.
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
