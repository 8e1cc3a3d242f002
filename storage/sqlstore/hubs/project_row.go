package hubs

import (
	"context"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// ProjectRow is a project.
type ProjectRow struct {
	ID      int64
	UID     string
	RootUID string
	NameKey string
	storage.Project
}

const (
	projectColumns = `id, ` + newProjectColumns

	newProjectColumns = `uid, hub_id, active, archived, root_uid, created_at, name, name_key, type, extension_type,
extension_version, extension_data, updated_at`
)

// InsertProject adds a project and returns its key.
var InsertProject = engine.Insert("projects", newProjectColumns) + `
ON CONFLICT DO NOTHING
RETURNING id`

// SelectProject reads a project by its id.
const SelectProject = `
SELECT ` + projectColumns + `
FROM projects WHERE uid = :id`

// NewProjectRow is the row of a project.
func NewProjectRow(p storage.Project) ProjectRow {
	return ProjectRow{UID: p.ID, RootUID: p.RootFolderID, NameKey: textkey.Fold(p.Name), Project: p}
}

func (r ProjectRow) record() storage.Project {
	project := r.Project
	project.ID, project.RootFolderID = r.UID, r.RootUID
	return project
}

// Event is the place of an event of the project itself.
func (r ProjectRow) Event() engine.Where {
	return engine.Where{Subject: r.UID, Hub: r.HubID, Project: r.UID}
}

// About is the place of an event of a thing in a folder of the project.
func (r ProjectRow) About(subject, folder string) engine.Where {
	return engine.Where{Subject: subject, Hub: r.HubID, Project: r.UID, Folder: folder}
}

// Project reads the project's row, or returns the fault for an absent one.
func (t Tx) Project(ctx context.Context, uid string) (ProjectRow, error) {
	var row ProjectRow
	err := t.Get(ctx, &row, SelectProject, engine.Args{"id": uid})
	return row, engine.OrAbsentRow(err, "project")
}
