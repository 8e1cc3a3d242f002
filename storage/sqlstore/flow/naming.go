package flow

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

const (
	selectNaming = `
SELECT n.rule FROM namings n JOIN projects p ON p.id = n.project_id WHERE p.uid = :uid`

	upsertNaming = `
INSERT INTO namings (project_id, rule) VALUES (:project_id, :rule)
ON CONFLICT (project_id) DO UPDATE SET rule = excluded.rule`

	deleteNaming = `
DELETE FROM namings WHERE project_id = :project_id`
)

// Hot is what comes with every new name.
func Hot() engine.Hot { return engine.Hot{Read: []string{selectNaming}} }

// FindNaming implements storage.FlowStore.
func (s *Flow) FindNaming(ctx context.Context, projectID string) (storage.Naming, error) {
	var rule engine.JSON[storage.Naming]
	err := s.db.Get(ctx, &rule, selectNaming, engine.Args{"uid": projectID})
	if engine.IsNoRow(err) {
		return storage.Naming{}, nil
	}
	return rule.V, engine.AsFault(err)
}

// SetNaming implements storage.FlowStore.
func (s *Flow) SetNaming(ctx context.Context, change storage.Change, projectID string, naming storage.Naming) error {
	return hubs.InOpenProject(ctx, s.db, projectID, hubs.Together, func(t hubs.Tx, project hubs.ProjectRow) error {
		query, arg := upsertNaming, engine.Args{"project_id": project.ID, "rule": engine.JSON[storage.Naming]{V: naming}}
		if len(naming.Fields) == 0 {
			query, arg = deleteNaming, engine.Args{"project_id": project.ID}
		}
		if _, err := t.Exec(ctx, query, arg); err != nil {
			return err
		}
		return t.Tell(ctx, change, storage.EventProjectNaming, project.Event(), engine.Detail{"fields": len(naming.Fields)})
	})
}
