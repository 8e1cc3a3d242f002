package accounts

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
)

const (
	userVariable   = "userId"
	clientVariable = "clientId"
)

// API is the operations under /admin/v1/users/{userId}/consents. They do what
// people do on their own page.
type API struct {
	accounts *Accounts
	door     *adminapi.Door
}

// NewAPI returns the operations.
func NewAPI(accounts *Accounts, door *adminapi.Door) *API {
	return &API{accounts: accounts, door: door}
}

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	const consents = "/users/{userId}/consents"
	return []httpio.Route{
		httpio.At(consents).Get(a.door.Read(a.list)),
		httpio.At(consents + "/{clientId}").Delete(a.door.Write(a.withdraw)),
		httpio.At(consents + "/{clientId}/devices/{deviceId}").Delete(a.door.Write(a.endUsersDevice)),
	}
}

// connectionJSON is an app that may act for a user.
type connectionJSON struct {
	ClientID        string       `json:"client_id"`
	Name            string       `json:"name"`
	OwnerID         string       `json:"owner_id"`
	Scopes          []string     `json:"scopes"`
	Since           time.Time    `json:"since"`
	LastConnectedAt *time.Time   `json:"last_connected_at"`
	EndsAt          *time.Time   `json:"ends_at"`
	Devices         []DeviceJSON `json:"devices"`
}

func newConnectionJSON(c Connection) connectionJSON {
	return connectionJSON{
		ClientID: c.Client.ID, Name: c.Client.Name, OwnerID: c.Client.OwnerUserID, Scopes: append([]string{}, c.Scopes...),
		Since: c.Since, LastConnectedAt: orNull(c.LastSeen), EndsAt: orNull(c.EndsAt),
		Devices: DevicesJSON(c.Devices),
	}
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// user returns the id of the user whom the path names.
func (a *API) user(r *http.Request) (string, error) {
	id, err := httpio.PathID(r, userVariable)
	if err != nil {
		return "", err
	}
	_, err = a.accounts.with.Store.FindUser(r.Context(), id)
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, ReasonNoUser, "There is no such user.").Because(err)
	}
	return id, err
}

// list serves GET /admin/v1/users/{userId}/consents.
func (a *API) list(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	id, err := a.user(r)
	if err != nil {
		return err
	}
	all, err := a.accounts.List(r.Context(), id)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", newConnectionJSON))
}

// withdraw serves DELETE /admin/v1/users/{userId}/consents/{clientId}.
func (a *API) withdraw(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	user, err := a.user(r)
	if err != nil {
		return err
	}
	app, err := httpio.PathID(r, clientVariable)
	if err != nil {
		return err
	}
	if err := a.accounts.Withdraw(r.Context(), c.Act, user, app); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
