package dataapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/storage"
)

func projectsRules() jsonapi.Rules {
	return jsonapi.Rules{
		Types: []string{shape.TypeProjects}, Paged: true, Sort: []string{filter.Name},
		Filters: filter.By(filter.ID, filter.Extension),
	}
}

// ListProjects serves GET /project/v1/hubs/{hub_id}/projects.
func (h *Handler) ListProjects(w http.ResponseWriter, r *http.Request) error {
	q, err := projectsRules().Parse(r)
	if err != nil {
		return err
	}
	hub, standing, err := h.find.ReachHub(r)
	if err != nil {
		return err
	}
	address := h.tell.ProjectsURL(hub.ID)
	page, err := filter.Page(h.pager, address, q)
	if err != nil {
		return err
	}
	all := filter.Conditions(q.Conditions)
	ids, err := all.Accounts()
	if err != nil {
		return err
	}
	query := storage.ProjectQuery{IDs: ids, ExtensionTypes: all.Texts(filter.Extension), Descending: q.Descending}
	projects, next, err := h.store.ListProjects(r.Context(), standing.Caller, hub.ID, query, page)
	if err != nil {
		return err
	}
	resources, err := h.projects(r.Context(), standing, projects)
	if err != nil {
		return err
	}
	return jsonapi.WriteDocument(w, r, q, jsonapi.Document{Links: h.pager.Links(address, q, next), Data: resources})
}

// projects shows projects of a hub to a caller who stands there as said.
func (h *Handler) projects(ctx context.Context, inHub storage.Standing,
	projects []storage.Project) ([]jsonapi.Resource, error) {
	resources := make([]jsonapi.Resource, len(projects))
	for i, project := range projects {
		withRoot, err := h.find.ShowsRoot(ctx, inHub, project)
		if err != nil {
			return nil, err
		}
		resources[i] = h.tell.Project(project, withRoot)
	}
	return resources, nil
}

// GetProject serves GET /project/v1/hubs/{hub_id}/projects/{project_id}.
func (h *Handler) GetProject(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain(shape.TypeProjects).Parse(r)
	if err != nil {
		return err
	}
	place, err := h.find.ReachProject(r, true)
	if err != nil {
		return err
	}
	withRoot, err := h.find.ShowsRoot(r.Context(), place.Standing, place.Project)
	if err != nil {
		return err
	}
	resource := h.tell.Project(place.Project, withRoot)
	address := h.tell.ProjectURL(place.Hub.ID, place.Project.ID)
	return jsonapi.WriteDocument(w, r, q, jsonapi.Document{Links: shape.Self(address), Data: &resource})
}

// Flags of top folders.
const (
	flagExcludeDeleted   = "excludeDeleted"
	flagProjectFilesOnly = "projectFilesOnly"
)

func topFoldersRules() jsonapi.Rules {
	return jsonapi.Rules{
		Types: []string{shape.TypeFolders}, Sort: []string{filter.Name},
		Flags: []string{flagExcludeDeleted, flagProjectFilesOnly},
	}
}

// ListTopFolders serves GET …/projects/{project_id}/topFolders: all folders at
// the top for whoever has rights everywhere, else the highest that the caller
// can read.
func (h *Handler) ListTopFolders(w http.ResponseWriter, r *http.Request) error {
	q, err := topFoldersRules().Parse(r)
	if err != nil {
		return err
	}
	place, err := h.find.ReachProject(r, true)
	if err != nil {
		return err
	}
	folders, err := h.store.ListTopFolders(r.Context(), place, storage.TopQuery{
		WithHidden: !q.Flag(flagExcludeDeleted), InProjectFiles: q.Flag(flagProjectFilesOnly),
	})
	if err != nil {
		return err
	}
	if q.Descending {
		slices.Reverse(folders)
	}
	shown, err := h.tell.ShowContents(r.Context(), storage.Contents{Folders: folders})
	if err != nil {
		return err
	}
	resources := make([]jsonapi.Resource, len(folders))
	for i, folder := range folders {
		// Without rights everywhere the folder above can't be read: it would be
		// the highest instead.
		resources[i] = shown.Folder(folder, place.Standing.Everywhere())
	}
	address := h.tell.ProjectURL(place.Hub.ID, place.Project.ID) + "/topFolders"
	return jsonapi.WriteDocument(w, r, q, jsonapi.Document{Links: q.Self(address), Data: resources})
}
