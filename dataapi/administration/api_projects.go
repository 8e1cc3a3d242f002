package administration

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// ProjectJSON is a project in the API, and on the command line.
type ProjectJSON struct {
	ID         string    `json:"id"`
	HubID      string    `json:"hub_id"`
	Name       string    `json:"name"`
	Active     bool      `json:"active"`
	Archived   bool      `json:"archived"`
	RootFolder string    `json:"root_folder"`
	CreatedAt  time.Time `json:"created_at"`
	UpdatedAt  time.Time `json:"updated_at"`
}

// ProjectJSON is how a project is told of.
func (a *Rules) ProjectJSON(p storage.Project) ProjectJSON {
	return ProjectJSON{p.ID, p.HubID, p.Name, p.Active, p.Archived, a.FolderURN(p.RootFolderID), p.CreatedAt, p.UpdatedAt}
}

// projectChange is what a project is to be, or become; nil leaves a field alone.
type projectChange struct {
	Name     *string `json:"name"`
	Active   *bool   `json:"active"`   // when changing only
	Archived *bool   `json:"archived"` // likewise
}

// listProjects serves GET /admin/v1/hubs/{hubId}/projects.
func (a *API) listProjects(w http.ResponseWriter, r *http.Request, e errand) error {
	_, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	projects, next, err := a.rules.PageProjects(r.Context(), e.place.Hub.ID, page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(projects, next, a.rules.ProjectJSON))
}

// createProject serves POST /admin/v1/hubs/{hubId}/projects.
func (a *API) createProject(w http.ResponseWriter, r *http.Request, e errand) error {
	var body projectChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	project, err := a.rules.CreateProject(r.Context(), e.change, NewProject{HubID: e.place.Hub.ID, Name: text(body.Name)})
	if err != nil {
		return err
	}
	return adminapi.Created(w, "projects/"+project.ID, a.rules.ProjectJSON(project))
}

// showProject serves GET /admin/v1/projects/{projectId}.
func (a *API) showProject(w http.ResponseWriter, _ *http.Request, e errand) error {
	return adminapi.OK(w, a.rules.ProjectJSON(e.place.Project))
}

// changeProject serves PATCH /admin/v1/projects/{projectId}: all that the body says, or
// nothing. Whether it is active is for those who administer the hub.
func (a *API) changeProject(w http.ResponseWriter, r *http.Request, e errand) error {
	var body projectChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	if body.Active != nil && !e.who.hub(e.place.Standing) {
		return fault.New(fault.Forbidden, adminapi.ReasonAdministratorsOnly,
			"Only administrators of the hub activate and deactivate its projects.")
	}
	project, err := a.rules.PatchProject(r.Context(), e.change, e.place.Project.ID,
		storage.ProjectPatch{Name: body.Name, Archived: body.Archived, Active: body.Active})
	if err != nil {
		return err
	}
	return adminapi.OK(w, a.rules.ProjectJSON(project))
}

// purgeJSON is what a purge removed.
type purgeJSON struct {
	ID         string `json:"id"` // of the project
	HiddenDays int    `json:"hidden_days"`
	Removed    int    `json:"removed"` // folders and items, each with all below it
}

// purgeProject serves POST /admin/v1/projects/{projectId}/purge, for server
// administrators. When the body doesn't say so RetentionDays is how long things
// must have been hidden.
func (a *API) purgeProject(w http.ResponseWriter, r *http.Request, e errand) error {
	wanted := struct {
		Days int `json:"hidden_days"`
	}{RetentionDays}
	if err := httpio.ReadJSON(w, r, &wanted); err != nil {
		return err
	}
	httpio.AtLeisure(w)
	removed, err := a.rules.Purge(r.Context(), e.change, e.place.Project.ID, wanted.Days)
	if err != nil {
		return err
	}
	return adminapi.OK(w, purgeJSON{e.place.Project.ID, wanted.Days, removed})
}
