package administration

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// HubJSON is a hub in the API, and on the command line.
type HubJSON struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Region    string    `json:"region"`
	Active    bool      `json:"active"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// NewHubJSON tells of a hub.
func NewHubJSON(h storage.Hub) HubJSON {
	return HubJSON{h.ID, h.Name, h.Region, h.Active, h.CreatedAt, h.UpdatedAt}
}

// hubChange is what a hub is to be, or become; nil leaves a field alone.
type hubChange struct {
	Name   *string `json:"name"`
	Region *string `json:"region"`
	Active *bool   `json:"active"` // when changing only
}

// listHubs serves GET /admin/v1/hubs: all hubs, or those that the caller
// administers.
func (a *API) listHubs(w http.ResponseWriter, r *http.Request, e errand) error {
	hubs, err := a.rules.HubsFor(r.Context(), e.who)
	if err != nil {
		return err
	}
	if len(hubs) == 0 && !e.who.Server {
		return adminapi.AdministratorsOnly()
	}
	return adminapi.OK(w, adminapi.NewList(hubs, "", NewHubJSON))
}

// createHub serves POST /admin/v1/hubs, for server administrators.
func (a *API) createHub(w http.ResponseWriter, r *http.Request, e errand) error {
	var body hubChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	hub, err := a.rules.CreateHub(r.Context(), e.change, NewHub{Name: text(body.Name), Region: text(body.Region)})
	if err != nil {
		return err
	}
	return adminapi.Created(w, "hubs/"+hub.ID, NewHubJSON(hub))
}

// showHub serves GET /admin/v1/hubs/{hubId}.
func (a *API) showHub(w http.ResponseWriter, _ *http.Request, e errand) error {
	return adminapi.OK(w, NewHubJSON(e.place.Hub))
}

// changeHub serves PATCH /admin/v1/hubs/{hubId}: all that the body says, or nothing.
func (a *API) changeHub(w http.ResponseWriter, r *http.Request, e errand) error {
	var body hubChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	hub, err := e.place.Hub, error(nil)
	switch {
	case body.Name != nil || body.Region != nil:
		hub, err = a.rules.UpdateHub(r.Context(), e.change, hub.ID, body.Name, body.Region, body.Active)
	case body.Active != nil:
		hub, err = a.rules.SetHubActive(r.Context(), e.change, hub.ID, *body.Active)
	}
	if err != nil {
		return err
	}
	return adminapi.OK(w, NewHubJSON(hub))
}

// text is a member of a body that may be left out.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
