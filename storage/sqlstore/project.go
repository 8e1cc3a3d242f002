package sqlstore

import (
	"context"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

type projectRow struct {
	ID      int64  `db:"id"`
	UID     string `db:"uid"`
	HubID   string `db:"hub_id"`
	Name    string `db:"name"`
	NameKey string `db:"name_key"`
	Type    string `db:"type"`
	extensionRow
	Active    bool    `db:"active"`
	Archived  bool    `db:"archived"`
	RootUID   string  `db:"root_uid"`
	CreatedAt instant `db:"created_at"`
	UpdatedAt instant `db:"updated_at"`
}

const projectColumns = `id, uid, hub_id, name, name_key, type, extension_type, extension_version, extension_data,
	active, archived, root_uid, created_at, updated_at`

// placeRow is a project with its hub and the caller's standing.
type placeRow struct {
	Hub     hubRow     `db:"hub"`
	Project projectRow `db:"project"`
	standingRow
}

const (
	updateProject = `
UPDATE projects SET name = :name, name_key = :name_key, type = :type, extension_type = :extension_type,
	extension_version = :extension_version, extension_data = :extension_data, updated_at = :updated_at
WHERE uid = :uid`

	updateProjectActive = `
UPDATE projects SET active = :active, updated_at = :at WHERE uid = :id AND active <> :active`

	updateProjectArchived = `
UPDATE projects SET archived = :archived, updated_at = :at WHERE id = :id AND archived <> :archived`

	selectProject = `
SELECT ` + projectColumns + `
FROM projects WHERE uid = :id`

	joinPlace = `
JOIN hubs h ON h.id = p.hub_id` + joinProjectStanding
)

// The columns of a place, and queries that are made of them.
var (
	placeColumns = prefixed("h", "hub", hubColumns) + ", " + prefixed("p", "project", projectColumns) + ", " + projectStanding

	selectHubPlace = `
SELECT ` + prefixed("h", "hub", hubColumns) + `, ` + hubStanding + `
FROM hubs h` + joinHubStanding + `
WHERE h.id = :hub_id`

	selectPlace = `
SELECT ` + placeColumns + `
FROM projects p` + joinPlace + `
WHERE p.uid = :project_uid`
)

func newProjectRow(p storage.Project) projectRow {
	return projectRow{
		UID: p.ID, HubID: p.HubID, Name: p.Name, NameKey: textkey.Fold(p.Name), Type: p.Type,
		extensionRow: newExtensionRow(p.Extension), Active: p.Active, Archived: p.Archived, RootUID: p.RootFolderID,
		CreatedAt: at(p.CreatedAt), UpdatedAt: at(p.UpdatedAt),
	}
}

func (r projectRow) record() storage.Project {
	return storage.Project{
		ID: r.UID, HubID: r.HubID, Name: r.Name, Type: r.Type, Extension: r.extensionRow.record(),
		Active: r.Active, Archived: r.Archived, RootFolderID: r.RootUID,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
}

func (r placeRow) place(caller storage.Caller) storage.Place {
	return storage.Place{Hub: r.Hub.record(), Project: r.Project.record(), Standing: r.standing(caller)}
}

// event is the place of an event of the project itself.
func (r projectRow) event() where { return where{subject: r.UID, hub: r.HubID, project: r.UID} }

// about is the place of an event of a thing in a folder of the project.
func (r projectRow) about(subject, folder string) where {
	return where{subject: subject, hub: r.HubID, project: r.UID, folder: folder}
}

// project reads the project's row, or returns the fault for an absent one.
func (t tx) project(ctx context.Context, uid string) (projectRow, error) {
	var row projectRow
	err := t.get(ctx, &row, selectProject, args{"id": uid})
	return row, orAbsentRow(err, "project")
}

// UpdateProject implements storage.ProjectStore.
func (s *Store) UpdateProject(ctx context.Context, change storage.Change, project storage.Project) error {
	row := newProjectRow(project)
	row.UpdatedAt = at(change.At)
	return s.write(ctx, func(tx tx) error {
		if err := tx.execOne(ctx, absent("project"), updateProject, row); err != nil {
			return err
		}
		found, err := tx.project(ctx, project.ID)
		if err != nil {
			return err
		}
		return tx.tell(ctx, change, storage.EventProjectUpdated, found.event(), detail{"name": project.Name})
	})
}

// SetProjectActive implements storage.ProjectStore.
func (s *Store) SetProjectActive(ctx context.Context, change storage.Change, projectID string, active bool) error {
	kind := storage.EventProjectDeactivated
	if active {
		kind = storage.EventProjectActivated
	}
	return s.write(ctx, func(tx tx) error {
		n, err := tx.exec(ctx, updateProjectActive, args{"id": projectID, "active": active, "at": at(change.At)})
		if err != nil {
			return err
		}
		found, err := tx.project(ctx, projectID)
		if err != nil || n == 0 {
			return err
		}
		return tx.tell(ctx, change, kind, found.event(), nil)
	})
}

// ArchiveProject implements storage.ProjectStore.
func (s *Store) ArchiveProject(ctx context.Context, change storage.Change, projectID string, archived bool) error {
	kind := storage.EventProjectReopened
	if archived {
		kind = storage.EventProjectArchived
	}
	return s.inProject(ctx, projectID, alone, func(tx tx, project projectRow) error {
		n, err := tx.exec(ctx, updateProjectArchived, args{"id": project.ID, "archived": archived, "at": at(change.At)})
		if err != nil || n == 0 {
			return err
		}
		return tx.tell(ctx, change, kind, project.event(), nil)
	})
}

// ListProjects implements storage.ProjectStore.
func (s *Store) ListProjects(ctx context.Context, caller storage.Caller, hubID string, query storage.ProjectQuery, page storage.DataPage) ([]storage.Project, string, error) {
	span, err := spanOf(page)
	if err != nil {
		return nil, "", err
	}
	f := newFilter()
	f.admitted(caller)
	f.add("p.hub_id = " + f.bind(hubID))
	if caller.UserID != "" {
		f.add(hasPart)
	}
	f.in("p.uid", query.IDs)
	f.text("p.extension_type", query.ExtensionTypes)
	if !query.Inactive {
		f.add("p.active")
	}
	order, sign := "\nORDER BY p.name_key, p.uid", " > "
	if query.Descending {
		order, sign = "\nORDER BY p.name_key DESC, p.uid DESC", " < "
	}
	if span.after != "" {
		id, key, err := splitNameCursor(span.after)
		if err != nil {
			return nil, "", err
		}
		f.add("(p.name_key, p.uid)" + sign + "(" + f.bind(key) + ", " + f.bind(id) + ")")
	}
	if f.err != nil {
		return nil, "", f.err
	}
	var rows []projectRow
	text := "SELECT " + inTable("p", projectColumns) + "\nFROM projects p JOIN hubs h ON h.id = p.hub_id" + f.clause() +
		order + f.limitClause(span)
	if err := s.reader.list(ctx, &rows, text, f.args); err != nil {
		return nil, "", asFault(err)
	}
	rows, next := cutPage(rows, span.limit, func(r projectRow) string { return nameCursor(r.UID, r.NameKey) })
	return records(rows, projectRow.record), next, nil
}

// hasPart is what Standing.HasPart says of a user in project p of a hub that
// admits them.
const hasPart = `(EXISTS (SELECT 1 FROM hub_members hm WHERE hm.hub_id = p.hub_id AND hm.user_id = :user_id AND hm.admin)
	OR EXISTS (SELECT 1 FROM project_members pm WHERE pm.project_id = p.id AND pm.user_id = :user_id)
	OR ` + isGrantedIn + `)`

// FindProject implements storage.ProjectStore.
func (s *Store) FindProject(ctx context.Context, caller storage.Caller, projectID string) (storage.Place, error) {
	var row placeRow
	arg := callerArgs(caller)
	arg["project_uid"] = projectID
	err := s.reader.get(ctx, &row, selectPlace, arg)
	return row.place(caller), orAbsent(err, "project")
}
