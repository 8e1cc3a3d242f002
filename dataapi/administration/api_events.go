package administration

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/storage"
)

// EventJSON is an event in the API and on the command line.
type EventJSON struct {
	ID        int64           `json:"id"`
	At        time.Time       `json:"at"`
	Kind      string          `json:"kind"`
	ActorKind string          `json:"actor_kind"`
	ActorID   string          `json:"actor_id"`
	ClientID  string          `json:"client_id"` // the app through which it was done
	UserID    string          `json:"user_id"`   // by whose rights
	OnBehalf  bool            `json:"on_behalf"` // the app named the user
	HubID     string          `json:"hub_id"`
	ProjectID string          `json:"project_id,omitempty"`
	Folder    string          `json:"folder,omitempty"`
	Subject   string          `json:"subject"`
	Data      json.RawMessage `json:"data,omitempty"`
	RequestID string          `json:"request_id"`
	Address   string          `json:"address"`
}

// EventJSON returns how an event is written.
func (a *Rules) EventJSON(e storage.Event) EventJSON {
	j := EventJSON{
		ID: e.Seq, At: e.Act.At, Kind: e.Kind, ActorKind: string(e.Act.Actor.Kind), ActorID: e.Act.Actor.ID,
		ClientID: e.Caller.ClientID, UserID: e.Caller.UserID, OnBehalf: e.Caller.OnBehalf,
		HubID: e.HubID, ProjectID: e.ProjectID, Subject: a.SubjectName(e), Data: json.RawMessage(e.Data),
		RequestID: e.Act.RequestID, Address: e.Act.Address,
	}
	if e.FolderID != "" {
		j.Folder = a.FolderURN(e.FolderID)
	}
	return j
}

// listHubEvents serves GET /admin/v1/hubs/{hubId}/events.
func (a *API) listHubEvents(w http.ResponseWriter, r *http.Request, e errand) error {
	return a.listEvents(w, r, EventsWanted{HubID: e.place.Hub.ID})
}

// listProjectEvents serves GET /admin/v1/projects/{projectId}/events.
func (a *API) listProjectEvents(w http.ResponseWriter, r *http.Request, e errand) error {
	return a.listEvents(w, r, EventsWanted{ProjectID: e.place.Project.ID})
}

func (a *API) listEvents(w http.ResponseWriter, r *http.Request, wanted EventsWanted) error {
	query, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	wanted.Kind, wanted.Subject, wanted.ActorID = query.Get(FieldKind), query.Get(FieldSubject), query.Get("actor")
	events, next, err := a.rules.ListEvents(r.Context(), wanted, page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(events, next, a.rules.EventJSON))
}
