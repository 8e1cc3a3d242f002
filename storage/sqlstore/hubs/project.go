package hubs

import (
	"context"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// PlaceRow is a project with its hub and the caller's standing.
type PlaceRow struct {
	Hub     storage.Hub `db:"hub"`
	Project ProjectRow  `db:"project"`
	StandingRow
}

const (
	updateProjectName = `
UPDATE projects SET name = :name, name_key = :name_key, updated_at = :at WHERE id = :id`

	updateProjectActive = `
UPDATE projects SET active = :active, updated_at = :at WHERE id = :id AND active <> :active`

	updateProjectArchived = `
UPDATE projects SET archived = :archived, updated_at = :at WHERE id = :id AND archived <> :archived`

	// JoinPlace adds hub and standing to projects p.
	JoinPlace = `
JOIN hubs h ON h.id = p.hub_id` + joinProjectStanding
)

// PlaceColumns are those of a place.
var (
	PlaceColumns = engine.Prefixed("h", "hub", HubColumns) + ", " +
		engine.Prefixed("p", "project", projectColumns) + ", " + projectStanding

	selectPlace = `
SELECT ` + PlaceColumns + `
FROM projects p` + JoinPlace + `
WHERE p.uid = :project_uid`
)

// Place is the row as the contract has it.
func (r PlaceRow) Place(caller storage.Caller) storage.Place {
	return storage.Place{Hub: r.Hub, Project: r.Project.record(), Standing: r.Of(caller)}
}

// PatchProject implements storage.ProjectStore.
func (s *Hubs) PatchProject(ctx context.Context, change storage.Change, projectID string,
	patch storage.ProjectPatch) error {
	if patch.Archived != nil {
		return InProject(ctx, s.db, projectID, Alone, func(tx Tx, project ProjectRow) error {
			return tx.patchProject(ctx, change, project, patch)
		})
	}
	return s.write(ctx, func(tx Tx) error {
		project, err := tx.Project(ctx, projectID)
		if err != nil {
			return err
		}
		return tx.patchProject(ctx, change, project, patch)
	})
}

func (t Tx) patchProject(ctx context.Context, change storage.Change, project ProjectRow,
	patch storage.ProjectPatch) error {
	if patch.Name != nil {
		if err := t.renameProject(ctx, change, project, *patch.Name); err != nil {
			return err
		}
	}
	err := t.switchProject(ctx, change, project, patch.Archived, updateProjectArchived,
		storage.EventProjectArchived, storage.EventProjectReopened)
	if err != nil {
		return err
	}
	return t.switchProject(ctx, change, project, patch.Active, updateProjectActive,
		storage.EventProjectActivated, storage.EventProjectDeactivated)
}

func (t Tx) renameProject(ctx context.Context, change storage.Change, project ProjectRow, name string) error {
	arg := engine.Args{"id": project.ID, "name": name, "name_key": textkey.Fold(name), "at": change.At}
	if err := t.ExecOne(ctx, engine.Absent("project"), updateProjectName, arg); err != nil {
		return err
	}
	return t.Tell(ctx, change, storage.EventProjectUpdated, project.Event(), engine.Detail{"name": name})
}

// switchProject turns something of a project on or off, unless it is so already.
func (t Tx) switchProject(ctx context.Context, change storage.Change, project ProjectRow, on *bool,
	query, whenOn, whenOff string) error {
	if on == nil {
		return nil
	}
	n, err := t.Exec(ctx, query, engine.Args{"id": project.ID, "active": *on, "archived": *on, "at": change.At})
	if err != nil || n == 0 {
		return err
	}
	kind := whenOff
	if *on {
		kind = whenOn
	}
	return t.Tell(ctx, change, kind, project.Event(), nil)
}

// ListProjects implements storage.ProjectStore.
func (s *Hubs) ListProjects(ctx context.Context, caller storage.Caller, hubID string, query storage.ProjectQuery,
	page storage.DataPage) ([]storage.Project, string, error) {
	span, err := engine.SpanOf(page)
	if err != nil {
		return nil, "", err
	}
	f := engine.NewFilter()
	admitted(f, caller)
	f.Add("p.hub_id = " + f.Bind(hubID))
	if caller.UserID != "" {
		f.Add(hasPart)
	}
	f.In("p.uid", query.IDs)
	f.Text("p.extension_type", query.ExtensionTypes)
	if !query.Inactive {
		f.Add("p.active")
	}
	order, sign := "\nORDER BY p.name_key, p.uid", " > "
	if query.Descending {
		order, sign = "\nORDER BY p.name_key DESC, p.uid DESC", " < "
	}
	if span.After != "" {
		id, key, err := engine.SplitNameCursor(span.After)
		if err != nil {
			return nil, "", err
		}
		f.Add("(p.name_key, p.uid)" + sign + "(" + f.Bind(key) + ", " + f.Bind(id) + ")")
	}
	text := "SELECT " + engine.InTable("p", projectColumns) + "\nFROM projects p JOIN hubs h ON h.id = p.hub_id" +
		f.Clause() +
		order + f.LimitClause(span)
	rows, err := engine.Filtered[ProjectRow](ctx, s.db, text, f)
	rows, next := engine.CutPage(rows, span.Limit,
		func(r ProjectRow) string { return engine.NameCursor(r.UID, r.NameKey) })
	return engine.Records(rows, ProjectRow.record), next, err
}

// hasPart is what Standing.HasPart says of a user in project p of a hub that
// admits them.
const hasPart = `(EXISTS (SELECT 1 FROM hub_members hm WHERE hm.hub_id = p.hub_id AND hm.user_id = :user_id AND hm.admin)
	OR EXISTS (SELECT 1 FROM project_members pm WHERE pm.project_id = p.id AND pm.user_id = :user_id)
	OR ` + isGrantedIn + `)`

// FindProject implements storage.ProjectStore.
func (s *Hubs) FindProject(ctx context.Context, caller storage.Caller, projectID string) (storage.Place, error) {
	var row PlaceRow
	err := s.db.Get(ctx, &row, selectPlace, placeArgs(caller, projectID))
	return row.Place(caller), engine.OrAbsent(err, "project")
}

// Place is FindProject in the transaction.
func (t Tx) Place(ctx context.Context, caller storage.Caller, projectID string) (storage.Place, error) {
	var row PlaceRow
	err := t.Get(ctx, &row, selectPlace, placeArgs(caller, projectID))
	return row.Place(caller), engine.OrAbsentRow(err, "project")
}

func placeArgs(caller storage.Caller, projectID string) engine.Args {
	arg := CallerArgs(caller)
	arg["project_uid"] = projectID
	return arg
}
