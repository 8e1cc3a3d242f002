package administration

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/dataapi/setup"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// appJSON is an app's access to a hub in the API.
type appJSON struct {
	ClientID  string    `json:"client_id"`
	HubID     string    `json:"hub_id"`
	Level     string    `json:"level"`
	Users     string    `json:"users"` // all-members, none or listed
	UserIDs   []string  `json:"user_ids"`
	CreatedAt time.Time `json:"created_at"`
}

func newAppJSON(a storage.AppAccess) appJSON {
	return appJSON{a.ClientID, a.HubID, level.Name(a.Level), string(a.Users),
		append([]string{}, a.UserIDs...), a.CreatedAt}
}

// listApps serves GET /admin/v1/hubs/{hubId}/apps.
func (a *API) listApps(w http.ResponseWriter, r *http.Request, e errand) error {
	apps, err := a.rules.ListApps(r.Context(), e.place.Hub.ID)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(apps, "", newAppJSON))
}

// showApp serves GET /admin/v1/hubs/{hubId}/apps/{clientId}.
func (a *API) showApp(w http.ResponseWriter, r *http.Request, e errand) error {
	id, err := httpio.PathID(r, clientVariable)
	if err != nil {
		return err
	}
	access, err := a.rules.FindApp(r.Context(), e.place.Hub.ID, id)
	if err != nil {
		return err
	}
	return adminapi.OK(w, newAppJSON(access))
}

// appChange is what an app may do in a hub. What is left out is edit, and
// all-members or, with user_ids, listed.
type appChange struct {
	Level   string   `json:"level"`
	Users   string   `json:"users"`
	UserIDs []string `json:"user_ids"`
}

func (c appChange) access(hubID, clientID string) (storage.AppAccess, error) {
	wanted, err := level.Parse(cmp.Or(c.Level, level.Name(storage.LevelEdit)), FieldLevel)
	if err != nil {
		return storage.AppAccess{}, err
	}
	usual := storage.AppForMembers
	if len(c.UserIDs) > 0 {
		usual = storage.AppForListed
	}
	users := cmp.Or(storage.AppUsers(c.Users), usual)
	if !slices.Contains([]storage.AppUsers{storage.AppForMembers, storage.AppForNobody, storage.AppForListed}, users) {
		return storage.AppAccess{}, setup.Invalid(FieldUsers, "Users must be all-members, none or listed.")
	}
	return storage.AppAccess{HubID: hubID, ClientID: clientID, Level: wanted, Users: users, UserIDs: c.UserIDs}, nil
}

// putApp serves PUT /admin/v1/hubs/{hubId}/apps/{clientId}: it lets an app into
// the hub, or changes what it may do there.
func (a *API) putApp(w http.ResponseWriter, r *http.Request, e errand) error {
	id, err := httpio.PathID(r, clientVariable)
	if err != nil {
		return err
	}
	var body appChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	access, err := body.access(e.place.Hub.ID, id)
	if err != nil {
		return err
	}
	if _, err := a.rules.ProvisionApp(r.Context(), e.change, access); err != nil {
		return err
	}
	if access, err = a.rules.FindApp(r.Context(), e.place.Hub.ID, id); err != nil {
		return err
	}
	return adminapi.OK(w, newAppJSON(access))
}

// removeApp serves DELETE /admin/v1/hubs/{hubId}/apps/{clientId}.
func (a *API) removeApp(w http.ResponseWriter, r *http.Request, e errand) error {
	id, err := httpio.PathID(r, clientVariable)
	if err != nil {
		return err
	}
	if err := a.rules.WithdrawApp(r.Context(), e.change, e.place.Hub.ID, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
