package accounts

import (
	"net/http"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
)

// OwnRoutes are the operations under /account/v1 on what the caller has here
// themselves: nothing in an address says whose it is.
func (a *API) OwnRoutes() []httpio.Route {
	return []httpio.Route{
		httpio.At("/apps").Get(a.door.ReadPart(a.ownApps)),
		httpio.At("/apps/{clientId}").Delete(a.door.WritePart(a.withdrawOwn)),
		httpio.At("/apps/{clientId}/devices/{deviceId}").Delete(a.door.WritePart(a.endOwnDevice)),
		httpio.At("/openable-apps").Get(a.door.ReadPart(a.ownOpenable)),
		httpio.At("/events").Get(a.door.ReadPart(a.ownEvents)),
		httpio.At("/archive").Get(a.door.ReadAgain(a.ownArchive)),
		httpio.At("/account").Delete(a.door.WriteAgain(a.leave)),
	}
}

// ownApps serves GET /account/v1/apps.
func (a *API) ownApps(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	all, err := a.accounts.List(r.Context(), c.User.ID)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", newConnectionJSON))
}

// withdrawOwn serves DELETE /account/v1/apps/{clientId}.
func (a *API) withdrawOwn(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	app, err := httpio.PathID(r, clientVariable)
	if err != nil {
		return err
	}
	if err := a.accounts.Withdraw(r.Context(), c.Act, c.User.ID, app); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// ownEvents serves GET /account/v1/events.
func (a *API) ownEvents(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	_, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	events, next, err := a.accounts.Events(r.Context(), c.User.ID, page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(events, next, newEventJSON))
}

// ownArchive serves GET /account/v1/archive.
func (a *API) ownArchive(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	return a.accounts.serveArchive(w, r, c.User)
}

// leave serves DELETE /account/v1/account.
func (a *API) leave(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	if err := a.accounts.Leave(r.Context(), c.Act, c.User); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
