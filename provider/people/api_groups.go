package people

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// GroupRoutes are the operations on groups.
func (a *API) GroupRoutes() []httpio.Route {
	const group = "/groups/{groupId}"
	return []httpio.Route{
		httpio.At("/groups").Get(a.door.Read(a.listGroups)).Post(a.door.Write(a.createGroup)),
		httpio.At(group).Get(a.door.Read(a.group(a.showGroup))).Patch(a.door.Write(a.group(a.changeGroup))).
			Delete(a.door.Write(a.group(a.deleteGroup))),
		httpio.At(group + "/members").Get(a.door.Read(a.group(a.listMembers))),
		httpio.At(group + "/members/{userId}").Put(a.door.Write(a.group(a.putMember))).
			Delete(a.door.Write(a.group(a.deleteMember))),
	}
}

// GroupJSON is a group in the API, and on the command line.
type GroupJSON struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Members     int       `json:"members"`
	CreatedAt   time.Time `json:"created_at"`

	ManagedBy *ownerJSON `json:"managed_by,omitempty"` // where one group is asked for
}

// NewGroupJSON tells of a group.
func NewGroupJSON(g storage.UserGroup) GroupJSON {
	return GroupJSON{ID: g.ID, Name: g.Name, Description: g.Description, Members: g.Members, CreatedAt: g.CreatedAt}
}

// groupChange is what a group is to be, or become; nil leaves a field alone.
type groupChange struct {
	Name        *string `json:"name"`
	Description *string `json:"description"`
}

func (c groupChange) applied(g NewGroup) NewGroup {
	if c.Name != nil {
		g.Name = *c.Name
	}
	if c.Description != nil {
		g.Description = *c.Description
	}
	return g
}

// listGroups serves GET /admin/v1/groups.
func (a *API) listGroups(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	query, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	groups, err := a.people.ListGroups(r.Context(), trimmed(query.Get("q")), page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.Listed(groups, NewGroupJSON))
}

// createGroup serves POST /admin/v1/groups.
func (a *API) createGroup(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	var body groupChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	group, err := a.people.CreateGroup(r.Context(), c.Act, body.applied(NewGroup{}))
	if err != nil {
		return err
	}
	return adminapi.Created(w, "groups/"+group.ID, NewGroupJSON(group))
}

// group is an operation on the group that the path names.
func (a *API) group(do func(w http.ResponseWriter, r *http.Request, c adminapi.Call,
	g storage.UserGroup) error) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		group, err := httpio.Named(r, groupVariable, a.people.FindGroup)
		if err != nil {
			return err
		}
		return do(w, r, c, group)
	}
}

// showGroup serves GET /admin/v1/groups/{groupId}.
func (a *API) showGroup(w http.ResponseWriter, r *http.Request, _ adminapi.Call, g storage.UserGroup) error {
	told := NewGroupJSON(g)
	var err error
	told.ManagedBy, err = a.ownerOf(r.Context(), g.ID)
	if err != nil {
		return err
	}
	return adminapi.OK(w, told)
}

// changeGroup serves PATCH /admin/v1/groups/{groupId}.
func (a *API) changeGroup(w http.ResponseWriter, r *http.Request, c adminapi.Call, g storage.UserGroup) error {
	var body groupChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	group, err := a.people.UpdateGroup(r.Context(), c.Act, g.ID, body.applied)
	if err != nil {
		return err
	}
	return adminapi.OK(w, NewGroupJSON(group))
}

// deleteGroup serves DELETE /admin/v1/groups/{groupId}.
func (a *API) deleteGroup(w http.ResponseWriter, r *http.Request, c adminapi.Call, g storage.UserGroup) error {
	if err := a.people.DeleteGroup(r.Context(), c.Act, g.ID); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// listMembers serves GET /admin/v1/groups/{groupId}/members.
func (a *API) listMembers(w http.ResponseWriter, r *http.Request, _ adminapi.Call, g storage.UserGroup) error {
	_, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	users, err := a.people.List(r.Context(), storage.UserFilter{GroupID: g.ID}, page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.Listed(users, newUserJSON))
}

// putMember serves PUT /admin/v1/groups/{groupId}/members/{userId}.
func (a *API) putMember(w http.ResponseWriter, r *http.Request, c adminapi.Call, g storage.UserGroup) error {
	id, err := httpio.PathID(r, userVariable)
	if err != nil {
		return err
	}
	if _, err := a.people.FindByID(r.Context(), id); err != nil {
		return err
	}
	if err := a.people.AddToGroup(r.Context(), c.Act, g.ID, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// deleteMember serves DELETE /admin/v1/groups/{groupId}/members/{userId}.
func (a *API) deleteMember(w http.ResponseWriter, r *http.Request, c adminapi.Call, g storage.UserGroup) error {
	id, err := httpio.PathID(r, userVariable)
	if err != nil {
		return err
	}
	if err := a.people.RemoveFromGroup(r.Context(), c.Act, g.ID, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
