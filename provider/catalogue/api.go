package catalogue

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// resourceVariable is the resource in the routes of administrators.
const resourceVariable = "resourceId"

// API is the operations under /admin/v1/resources.
type API struct {
	catalogue *Catalogue
	door      *adminapi.Door
}

// NewAPI returns the operations.
func NewAPI(catalogue *Catalogue, door *adminapi.Door) *API { return &API{catalogue, door} }

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At("/resources").Get(a.door.Read(a.list)).Post(a.door.Write(a.create)),
		httpio.At("/resources/{" + resourceVariable + "}").Get(a.door.Read(a.show)).Patch(a.door.Write(a.change)).
			Delete(a.door.Write(a.delete)),
	}
}

// JSON is a resource in the API, and on the command line.
type JSON struct {
	ID           string    `json:"id"`
	Resource     string    `json:"resource"`
	Name         string    `json:"name"`
	Scope        string    `json:"scope"`
	DefaultScope string    `json:"default_scope"`
	Everyone     bool      `json:"everyone"`
	Clients      []string  `json:"clients"`
	ClientID     string    `json:"client_id"`
	Algorithm    string    `json:"signing_alg"`
	Lifetime     int       `json:"lifetime"`
	ProofNeeded  bool      `json:"bound_access_tokens"`
	ACR          string    `json:"acr"`
	MaxAge       int       `json:"max_age"`
	Disabled     bool      `json:"disabled"`
	CreatedAt    time.Time `json:"created_at"`
	UpdatedAt    time.Time `json:"updated_at"`
}

// NewJSON tells of a resource.
func NewJSON(r storage.Resource) JSON {
	return JSON{
		ID: r.ID, Resource: r.Identifier, Name: r.Name, Scope: scope.Format(r.Scopes),
		DefaultScope: scope.Format(r.DefaultScopes), Everyone: r.Everyone, Clients: append([]string{}, r.Clients...),
		ClientID: r.ClientID, Algorithm: r.Algorithm, Lifetime: int(r.Lifetime.Seconds()), ProofNeeded: r.ProofNeeded,
		ACR: r.ACR, MaxAge: int(r.MaxAge.Seconds()), Disabled: r.Disabled, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

func (a *API) list(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	all, err := a.catalogue.List(r.Context())
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", NewJSON))
}

func (a *API) create(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	var body Change
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	made, err := a.catalogue.Create(r.Context(), c.Act, body)
	if err != nil {
		return err
	}
	return adminapi.Created(w, "resources/"+made.ID, NewJSON(made))
}

func (a *API) show(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	one, err := httpio.Named(r, resourceVariable, a.catalogue.Find)
	if err != nil {
		return err
	}
	return adminapi.OK(w, NewJSON(one))
}

func (a *API) change(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	id, err := httpio.PathID(r, resourceVariable)
	if err != nil {
		return err
	}
	var body Change
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	one, err := a.catalogue.Update(r.Context(), c.Act, id, body)
	if err != nil {
		return err
	}
	return adminapi.OK(w, NewJSON(one))
}

func (a *API) delete(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	id, err := httpio.PathID(r, resourceVariable)
	if err != nil {
		return err
	}
	if err := a.catalogue.Delete(r.Context(), c.Act, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
