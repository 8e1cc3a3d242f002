package apps

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// accessRoutes are the operations on who may use an app.
func (a *API) accessRoutes(app string) []httpio.Route {
	return []httpio.Route{
		httpio.At(app + "/access").Get(a.door.Read(a.app(a.listAccess))),
		a.accessRoute(app+"/access/groups/{groupId}", "groupId",
			func(id string) storage.ClientAccess { return storage.ClientAccess{GroupID: id} }),
		a.accessRoute(app+"/access/users/{userId}", memberVariable,
			func(id string) storage.ClientAccess { return storage.ClientAccess{UserID: id} }),
	}
}

func (a *API) accessRoute(template, variable string, who func(id string) storage.ClientAccess) httpio.Route {
	do := func(act func(ctx context.Context, act storage.Act, clientID string,
		who storage.ClientAccess) error) adminapi.Operation {
		return a.app(func(w http.ResponseWriter, r *http.Request, c adminapi.Call, client storage.Client) error {
			id, err := httpio.PathID(r, variable)
			if err != nil {
				return err
			}
			if err := act(r.Context(), c.Act, client.ID, who(id)); err != nil {
				return err
			}
			return adminapi.NoContent(w)
		})
	}
	return httpio.At(template).Put(a.door.Write(do(a.apps.Allow))).Delete(a.door.Write(do(a.apps.Disallow)))
}

// AccessJSON is somebody for whom an app is, in the API and on the command line.
type AccessJSON struct {
	GroupID string `json:"group_id,omitempty"`
	UserID  string `json:"user_id,omitempty"`
	Name    string `json:"name"`
	Email   string `json:"email,omitempty"`
}

// NewAccessJSON tells of them.
func NewAccessJSON(who storage.ClientAccess) AccessJSON { return AccessJSON(who) }

// listAccess serves GET /admin/v1/apps/{clientId}/access.
func (a *API) listAccess(w http.ResponseWriter, r *http.Request, _ adminapi.Call, client storage.Client) error {
	named, err := a.apps.Access(r.Context(), client.ID)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(named, "", NewAccessJSON))
}
