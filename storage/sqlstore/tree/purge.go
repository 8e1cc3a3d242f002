package tree

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

const (
	selectHiddenItems = `
SELECT id, uid, name FROM items WHERE project_id = :project_id AND hidden AND hidden_at < :before
ORDER BY hidden_at LIMIT :limit`

	selectHiddenFolders = `
SELECT id, uid, name FROM folders WHERE project_id = :project_id AND hidden AND hidden_at < :before
ORDER BY hidden_at LIMIT :limit`

	// What belongs to a thing goes by foreign keys. A folder may be gone with
	// one above it.
	purgeItem = `
DELETE FROM items WHERE id = :id`

	purgeFolder = `
DELETE FROM folders WHERE id = :id`
)

// PurgeHidden implements storage.TreeUpkeepStore.
func (s *Tree) PurgeHidden(ctx context.Context, change storage.Change, projectID string, before time.Time,
	limit int) (int, error) {
	ctx = engine.Unhurried(ctx) // one folder may hold very much
	total := 0
	err := s.inOpenProject(ctx, projectID, hubs.Alone, func(tx tx, project hubs.ProjectRow) error {
		items, err := tx.purge(ctx, change, project, before, limit,
			purgeKind{selectHiddenItems, purgeItem, storage.EventItemPurged})
		if err != nil {
			return err
		}
		folders, err := tx.purge(ctx, change, project, before, limit-items,
			purgeKind{selectHiddenFolders, purgeFolder, storage.EventFolderPurged})
		total = items + folders
		return err
	})
	return total, err
}

type purgeKind struct{ find, remove, event string }

func (t tx) purge(ctx context.Context, change storage.Change, project hubs.ProjectRow, before time.Time, limit int,
	kind purgeKind) (int, error) {
	var things []struct {
		ID        int64
		UID, Name string
	}
	err := t.List(ctx, &things, kind.find, engine.Args{"project_id": project.ID, "before": before, "limit": limit})
	if err != nil {
		return 0, err
	}
	for _, thing := range things {
		n, err := t.Exec(ctx, kind.remove, engine.Args{"id": thing.ID})
		if err != nil {
			return 0, err
		}
		if n == 0 {
			continue
		}
		err = t.Tell(ctx, change, kind.event, project.About(thing.UID, ""), engine.Detail{"name": thing.Name})
		if err != nil {
			return 0, err
		}
	}
	return len(things), nil
}
