package administration

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// GroupJSON is a group of a hub in the API, and on the command line.
type GroupJSON struct {
	ID        string    `json:"id"`
	HubID     string    `json:"hub_id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
}

// NewGroupJSON tells of a group.
func NewGroupJSON(g storage.Group) GroupJSON { return GroupJSON{g.ID, g.HubID, g.Name, g.CreatedAt} }

type groupChange struct {
	Name string `json:"name"`
}

// PersonJSON is somebody in a group.
type PersonJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// listGroups serves GET /admin/v1/hubs/{hubId}/groups.
func (a *API) listGroups(w http.ResponseWriter, r *http.Request, e errand) error {
	groups, err := a.rules.ListGroups(r.Context(), e.place.Hub.ID)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(groups, "", NewGroupJSON))
}

// createGroup serves POST /admin/v1/hubs/{hubId}/groups.
func (a *API) createGroup(w http.ResponseWriter, r *http.Request, e errand) error {
	var body groupChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	group, err := a.rules.CreateGroup(r.Context(), e.change, e.place.Hub.ID, body.Name)
	if err != nil {
		return err
	}
	return adminapi.Created(w, "hubs/"+group.HubID+"/groups/"+group.ID, NewGroupJSON(group))
}

// inGroup is an operation on the group in the path.
func (a *API) inGroup(do func(w http.ResponseWriter, r *http.Request, e errand,
	group storage.Group) error) adminapi.Operation {
	return a.inHub(func(w http.ResponseWriter, r *http.Request, e errand) error {
		id, err := httpio.PathID(r, groupVariable)
		if err != nil {
			return err
		}
		group, err := a.rules.FindGroup(r.Context(), e.place.Hub.ID, id)
		if err != nil {
			return err
		}
		return do(w, r, e, group)
	})
}

// showGroup serves GET /admin/v1/hubs/{hubId}/groups/{groupId}.
func (a *API) showGroup(w http.ResponseWriter, _ *http.Request, _ errand, group storage.Group) error {
	return adminapi.OK(w, NewGroupJSON(group))
}

// changeGroup serves PATCH /admin/v1/hubs/{hubId}/groups/{groupId}.
func (a *API) changeGroup(w http.ResponseWriter, r *http.Request, e errand, group storage.Group) error {
	body := groupChange{Name: group.Name}
	err := httpio.ReadJSON(w, r, &body)
	if err != nil {
		return err
	}
	if group, err = a.rules.RenameGroup(r.Context(), e.change, group, body.Name); err != nil {
		return err
	}
	return adminapi.OK(w, NewGroupJSON(group))
}

// deleteGroup serves DELETE /admin/v1/hubs/{hubId}/groups/{groupId}.
func (a *API) deleteGroup(w http.ResponseWriter, r *http.Request, e errand, group storage.Group) error {
	if err := a.rules.DeleteGroup(r.Context(), e.change, group); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// listGroupMembers serves GET /admin/v1/hubs/{hubId}/groups/{groupId}/members.
func (a *API) listGroupMembers(w http.ResponseWriter, r *http.Request, _ errand, group storage.Group) error {
	ids, err := a.rules.ListGroupMembers(r.Context(), group)
	if err != nil {
		return err
	}
	names, err := a.rules.Names(r.Context(), ids)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(ids, "", func(id string) PersonJSON { return PersonJSON{id, names[id]} }))
}

// putGroupMember serves PUT
// /admin/v1/hubs/{hubId}/groups/{groupId}/members/{userId}.
func (a *API) putGroupMember(w http.ResponseWriter, r *http.Request, e errand, group storage.Group) error {
	id, err := httpio.PathID(r, userVariable)
	if err != nil {
		return err
	}
	if err := a.rules.AddToGroup(r.Context(), e.change, group, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// removeGroupMember serves DELETE
// /admin/v1/hubs/{hubId}/groups/{groupId}/members/{userId}.
func (a *API) removeGroupMember(w http.ResponseWriter, r *http.Request, e errand, group storage.Group) error {
	id, err := httpio.PathID(r, userVariable)
	if err != nil {
		return err
	}
	if err := a.rules.RemoveFromGroup(r.Context(), e.change, group, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
