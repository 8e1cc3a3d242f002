package hubs

import (
	"context"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// ProjectRow is a project.
type ProjectRow struct {
	ID      int64  `db:"id"`
	UID     string `db:"uid"`
	HubID   string `db:"hub_id"`
	Name    string `db:"name"`
	NameKey string `db:"name_key"`
	Type    string `db:"type"`
	ExtensionRow
	Active    bool           `db:"active"`
	Archived  bool           `db:"archived"`
	RootUID   string         `db:"root_uid"`
	CreatedAt engine.Instant `db:"created_at"`
	UpdatedAt engine.Instant `db:"updated_at"`
}

const projectColumns = `id, uid, hub_id, name, name_key, type, extension_type, extension_version, extension_data,
	active, archived, root_uid, created_at, updated_at`

// SelectProject reads a project by its id.
const SelectProject = `
SELECT ` + projectColumns + `
FROM projects WHERE uid = :id`

// NewProjectRow is the row of a project.
func NewProjectRow(p storage.Project) ProjectRow {
	return ProjectRow{
		UID: p.ID, HubID: p.HubID, Name: p.Name, NameKey: textkey.Fold(p.Name), Type: p.Type,
		ExtensionRow: NewExtensionRow(p.Extension), Active: p.Active, Archived: p.Archived, RootUID: p.RootFolderID,
		CreatedAt: engine.At(p.CreatedAt), UpdatedAt: engine.At(p.UpdatedAt),
	}
}

func (r ProjectRow) record() storage.Project {
	return storage.Project{
		ID: r.UID, HubID: r.HubID, Name: r.Name, Type: r.Type, Extension: r.ExtensionRow.Record(),
		Active: r.Active, Archived: r.Archived, RootFolderID: r.RootUID,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
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
