package tree

import (
	"context"
	"fmt"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const selectAddedVersions = `
SELECT v.item_id AS item_key, v.number, v.name, v.size, v.created_at, i.uid AS item_id, p.uid AS project_id
FROM versions v JOIN items i ON i.id = v.item_id JOIN projects p ON p.id = i.project_id
WHERE v.created_by = :user_id AND (v.item_id, v.number) > (:item_key, :number)
ORDER BY v.item_id, v.number LIMIT :limit`

type addedVersionRow struct {
	ItemKey int64
	storage.AddedVersion
}

func (r addedVersionRow) record() storage.AddedVersion { return r.AddedVersion }

// ListAddedVersions implements storage.PersonStore.
func (s *Tree) ListAddedVersions(ctx context.Context, userID string,
	page storage.PageRequest) ([]storage.AddedVersion, string, error) {
	var item int64
	var number int
	if page.After != "" {
		if _, err := fmt.Sscanf(page.After, "%d:%d", &item, &number); err != nil {
			return nil, "", engine.BadCursor()
		}
	}
	rows, next, err := engine.Page(ctx, s.db, page, selectAddedVersions,
		engine.Args{"user_id": userID, "item_key": item, "number": number},
		func(r addedVersionRow) string { return fmt.Sprintf("%d:%d", r.ItemKey, r.Number) })
	return engine.Records(rows, addedVersionRow.record), next, err
}
