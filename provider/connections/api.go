package connections

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// The variables of the routes.
const (
	connectionVariable = "connectionId"
	tokenVariable      = "tokenId"
)

// API is the operations under /admin/v1/connections.
type API struct {
	connections *Connections
	door        *adminapi.Door
}

// NewAPI returns the operations.
func NewAPI(connections *Connections, door *adminapi.Door) *API { return &API{connections, door} }

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	const one = "/connections/{connectionId}"
	return []httpio.Route{
		httpio.At("/connections").Get(a.door.Read(a.list)).Post(a.door.Write(a.create)),
		httpio.At(one).Get(a.door.Read(a.of(a.show))).Patch(a.door.Write(a.of(a.change))).
			Delete(a.door.Write(a.of(a.delete))),
		httpio.At(one + "/tokens").Get(a.door.Read(a.of(a.tokens))).Post(a.door.Write(a.of(a.addToken))),
		httpio.At(one + "/tokens/{tokenId}").Delete(a.door.Write(a.of(a.endToken))),
		httpio.At(one + "/calls").Get(a.door.Read(a.of(a.calls))),
	}
}

// ConnectionJSON is a connection in the API, and on the command line.
type ConnectionJSON struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	URL         string    `json:"url"`
	Domains     []string  `json:"domains"`
	GroupPrefix string    `json:"group_prefix"`
	Disabled    bool      `json:"disabled"`
	Users       int       `json:"users"`
	Groups      int       `json:"groups"`
	CreatedAt   time.Time `json:"created_at"`
}

// JSON tells of a connection.
func (c *Connections) JSON(of storage.SCIMConnection) ConnectionJSON {
	return ConnectionJSON{ID: of.ID, Name: of.Name, URL: c.URL(of), Domains: append([]string{}, of.Domains...),
		GroupPrefix: of.GroupPrefix, Disabled: of.Disabled, Users: of.Users, Groups: of.Groups, CreatedAt: of.CreatedAt}
}

// TokenJSON is a token in the API, and on the command line.
type TokenJSON struct {
	ID         string     `json:"id"`
	Label      string     `json:"label"`
	Token      string     `json:"token,omitempty"` // when it is made, this once
	CreatedAt  time.Time  `json:"created_at"`
	EndsAt     *time.Time `json:"ends_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
}

// NewTokenJSON tells of a token.
func NewTokenJSON(t storage.SCIMToken) TokenJSON {
	return TokenJSON{ID: t.ID, Label: t.Label, CreatedAt: t.CreatedAt, EndsAt: adminapi.Moment(t.EndsAt),
		LastUsedAt: adminapi.Moment(t.LastUsedAt)}
}

// CallJSON is a call in the API, and on the command line.
type CallJSON struct {
	At        time.Time `json:"at"`
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Status    int       `json:"status"`
	Detail    string    `json:"detail"`
	RequestID string    `json:"request_id"`
}

// NewCallJSON tells of a call.
func NewCallJSON(c storage.SCIMCall) CallJSON {
	return CallJSON{At: c.At, Method: c.Method, Path: c.Path, Status: c.Status, Detail: c.Detail, RequestID: c.RequestID}
}

// changeJSON is what a connection is to be, or become.
type changeJSON struct {
	Name        *string   `json:"name"`
	Domains     *[]string `json:"domains"`
	GroupPrefix *string   `json:"group_prefix"`
	Disabled    *bool     `json:"disabled"`
}

// list serves GET /admin/v1/connections.
func (a *API) list(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	all, err := a.connections.List(r.Context())
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", a.connections.JSON))
}

// create serves POST /admin/v1/connections.
func (a *API) create(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	var body changeJSON
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	made, err := a.connections.Create(r.Context(), c.Act, Change(body))
	if err != nil {
		return err
	}
	return adminapi.Created(w, "connections/"+made.ID, a.connections.JSON(made))
}

// of is an operation on the connection that the path names.
func (a *API) of(do func(w http.ResponseWriter, r *http.Request, c adminapi.Call,
	connection storage.SCIMConnection) error) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		connection, err := httpio.Named(r, connectionVariable, a.connections.Find)
		if err != nil {
			return err
		}
		return do(w, r, c, connection)
	}
}

// show serves GET /admin/v1/connections/{connectionId}.
func (a *API) show(w http.ResponseWriter, _ *http.Request, _ adminapi.Call, of storage.SCIMConnection) error {
	return adminapi.OK(w, a.connections.JSON(of))
}

// change serves PATCH /admin/v1/connections/{connectionId}.
func (a *API) change(w http.ResponseWriter, r *http.Request, c adminapi.Call, of storage.SCIMConnection) error {
	var body changeJSON
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	changed, err := a.connections.Update(r.Context(), c.Act, of.ID, Change(body))
	if err != nil {
		return err
	}
	return adminapi.OK(w, a.connections.JSON(changed))
}

// delete serves DELETE /admin/v1/connections/{connectionId}.
func (a *API) delete(w http.ResponseWriter, r *http.Request, c adminapi.Call, of storage.SCIMConnection) error {
	if err := a.connections.Delete(r.Context(), c.Act, of.ID); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// tokens serves GET /admin/v1/connections/{connectionId}/tokens.
func (a *API) tokens(w http.ResponseWriter, r *http.Request, _ adminapi.Call, of storage.SCIMConnection) error {
	all, err := a.connections.Tokens(r.Context(), of.ID)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", NewTokenJSON))
}

// addToken serves POST /admin/v1/connections/{connectionId}/tokens.
func (a *API) addToken(w http.ResponseWriter, r *http.Request, c adminapi.Call, of storage.SCIMConnection) error {
	var body struct {
		Label string `json:"label"`
		Days  int    `json:"days"`
	}
	body.Days = SomeDays
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	token, text, err := a.connections.AddToken(r.Context(), c.Act, of.ID, body.Label, body.Days)
	if err != nil {
		return err
	}
	told := NewTokenJSON(token)
	told.Token = text
	return adminapi.Created(w, "connections/"+of.ID+"/tokens/"+token.ID, told)
}

// endToken serves DELETE /admin/v1/connections/{connectionId}/tokens/{tokenId}.
func (a *API) endToken(w http.ResponseWriter, r *http.Request, c adminapi.Call, of storage.SCIMConnection) error {
	id, err := httpio.PathID(r, tokenVariable)
	if err != nil {
		return err
	}
	if err := a.connections.EndToken(r.Context(), c.Act, of.ID, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// calls serves GET /admin/v1/connections/{connectionId}/calls.
func (a *API) calls(w http.ResponseWriter, r *http.Request, _ adminapi.Call, of storage.SCIMConnection) error {
	all, err := a.connections.Calls(r.Context(), of.ID)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", NewCallJSON))
}
