package tree

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

const (
	putLimits = `
INSERT INTO project_limits (project_id, quota, max_object, used)
SELECT :project_id, :quota, :max_object, coalesce(sum(o.size), 0) FROM objects o
WHERE o.project_id = :project_id AND o.state = 'stored'
ON CONFLICT (project_id) DO UPDATE SET quota = excluded.quota, max_object = excluded.max_object, used = excluded.used`

	deleteLimits = `
DELETE FROM project_limits WHERE project_id = :project_id`

	selectLimits = `
SELECT l.quota, l.max_object, l.used FROM project_limits l JOIN projects p ON p.id = l.project_id WHERE p.uid = :id`

	useQuota = `
UPDATE project_limits SET used = used + :size
WHERE project_id = :project_id AND (quota = 0 OR used + :size <= quota) AND (max_object = 0 OR :size <= max_object)`

	selectOwnLimits = `
SELECT quota, max_object, used FROM project_limits WHERE project_id = :project_id`
)

// SetLimits implements storage.ObjectStore. It runs alone in the project, so
// that what is counted is all there is.
func (s *Tree) SetLimits(ctx context.Context, change storage.Change, projectID string, limits storage.Limits) error {
	return s.inProject(ctx, projectID, hubs.Alone, func(tx tx, project hubs.ProjectRow) error {
		query := putLimits
		if limits.Quota == 0 && limits.MaxObject == 0 {
			query = deleteLimits
		}
		_, err := tx.Exec(ctx, query,
			engine.Args{"project_id": project.ID, "quota": limits.Quota, "max_object": limits.MaxObject})
		if err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventProjectLimited, project.Event(),
			engine.Detail{"quota": limits.Quota, "max_object": limits.MaxObject})
	})
}

// FindLimits implements storage.ObjectStore.
func (s *Tree) FindLimits(ctx context.Context, projectID string) (storage.Limits, error) {
	var rows []storage.Limits
	err := s.db.List(ctx, &rows, selectLimits, engine.Args{"id": projectID})
	if err != nil || len(rows) == 0 {
		return storage.Limits{}, err
	}
	return rows[0], nil
}

// use counts bytes that are stored, if the project may have them.
func (t tx) use(ctx context.Context, projectID, size int64) error {
	arg := engine.Args{"project_id": projectID, "size": size}
	n, err := t.Exec(ctx, useQuota, arg)
	if err != nil || n > 0 {
		return err
	}
	var rows []storage.Limits
	if err := t.List(ctx, &rows, selectOwnLimits, arg); err != nil || len(rows) == 0 {
		return err
	}
	if most := rows[0].MaxObject; most > 0 && size > most {
		return fault.Newf(fault.TooLarge, storage.ReasonObjectSize,
			"A file of this project has at most %d bytes, this one %d.", most, size)
	}
	return fault.Newf(fault.Forbidden, storage.ReasonQuota,
		"The project may store %d bytes and has %d: %d more are too many.",
		rows[0].Quota, rows[0].Used, size)
}
