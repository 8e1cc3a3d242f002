package people

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// groupJSON is a group in the API.
type groupJSON struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Members     int       `json:"members"`
	CreatedAt   time.Time `json:"created_at"`
}

func newGroupJSON(g storage.UserGroup) groupJSON {
	return groupJSON{ID: g.ID, Name: g.Name, Description: g.Description, Members: g.Members, CreatedAt: g.CreatedAt}
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

// ListGroups serves GET /admin/v1/groups.
func (a *API) ListGroups() httpio.Endpoint {
	return a.door.Read(func(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
		_, page, err := adminapi.Query(r)
		if err != nil {
			return err
		}
		groups, next, err := a.people.ListGroups(r.Context(), page)
		if err != nil {
			return err
		}
		return adminapi.OK(w, adminapi.NewList(groups, next, newGroupJSON))
	})
}

// CreateGroup serves POST /admin/v1/groups.
func (a *API) CreateGroup() httpio.Endpoint {
	return a.door.Write(func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		var body groupChange
		if err := httpio.ReadJSON(w, r, &body); err != nil {
			return err
		}
		group, err := a.people.CreateGroup(r.Context(), c.Act, body.applied(NewGroup{}))
		if err != nil {
			return err
		}
		return adminapi.Created(w, "groups/"+group.ID, newGroupJSON(group))
	})
}

// group is an operation on the group that the path names.
func (a *API) group(do func(w http.ResponseWriter, r *http.Request, c adminapi.Call, g storage.UserGroup) error) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		id, err := httpio.PathID(r, groupVariable)
		if err != nil {
			return err
		}
		group, err := a.people.FindGroup(r.Context(), id)
		if err != nil {
			return err
		}
		return do(w, r, c, group)
	}
}

// ShowGroup serves GET /admin/v1/groups/{groupId}.
func (a *API) ShowGroup() httpio.Endpoint {
	return a.door.Read(a.group(func(w http.ResponseWriter, _ *http.Request, _ adminapi.Call, g storage.UserGroup) error {
		return adminapi.OK(w, newGroupJSON(g))
	}))
}

// ChangeGroup serves PATCH /admin/v1/groups/{groupId}.
func (a *API) ChangeGroup() httpio.Endpoint {
	return a.door.Write(a.group(func(w http.ResponseWriter, r *http.Request, c adminapi.Call, g storage.UserGroup) error {
		var body groupChange
		if err := httpio.ReadJSON(w, r, &body); err != nil {
			return err
		}
		group, err := a.people.UpdateGroup(r.Context(), c.Act, g.ID, body.applied(NewGroup{Name: g.Name, Description: g.Description}))
		if err != nil {
			return err
		}
		return adminapi.OK(w, newGroupJSON(group))
	}))
}

// DeleteGroup serves DELETE /admin/v1/groups/{groupId}.
func (a *API) DeleteGroup() httpio.Endpoint {
	return a.door.Write(a.group(func(w http.ResponseWriter, r *http.Request, c adminapi.Call, g storage.UserGroup) error {
		if err := a.people.DeleteGroup(r.Context(), c.Act, g.ID); err != nil {
			return err
		}
		return adminapi.NoContent(w)
	}))
}

// ListMembers serves GET /admin/v1/groups/{groupId}/members.
func (a *API) ListMembers() httpio.Endpoint {
	return a.door.Read(a.group(func(w http.ResponseWriter, r *http.Request, _ adminapi.Call, g storage.UserGroup) error {
		_, page, err := adminapi.Query(r)
		if err != nil {
			return err
		}
		users, next, err := a.people.GroupMembers(r.Context(), g.ID, page)
		if err != nil {
			return err
		}
		return adminapi.OK(w, adminapi.NewList(users, next, newUserJSON))
	}))
}

// PutMember serves PUT /admin/v1/groups/{groupId}/members/{userId}.
func (a *API) PutMember() httpio.Endpoint {
	return a.door.Write(a.group(func(w http.ResponseWriter, r *http.Request, c adminapi.Call, g storage.UserGroup) error {
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
	}))
}

// DeleteMember serves DELETE /admin/v1/groups/{groupId}/members/{userId}.
func (a *API) DeleteMember() httpio.Endpoint {
	return a.door.Write(a.group(func(w http.ResponseWriter, r *http.Request, c adminapi.Call, g storage.UserGroup) error {
		id, err := httpio.PathID(r, userVariable)
		if err != nil {
			return err
		}
		if err := a.people.RemoveFromGroup(r.Context(), c.Act, g.ID, id); err != nil {
			return err
		}
		return adminapi.NoContent(w)
	}))
}
