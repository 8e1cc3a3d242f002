package administration

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// reservationJSON is an item that somebody has reserved.
type reservationJSON struct {
	ID            string    `json:"id"` // the item's
	Name          string    `json:"name"`
	Folder        string    `json:"folder"`
	UserID        string    `json:"user_id"`
	UserName      string    `json:"user_name"`
	ReservedAt    time.Time `json:"reserved_at"`
	ReservedUntil time.Time `json:"reserved_until"`
}

// listReservations serves GET /admin/v1/projects/{projectId}/reservations.
func (a *API) listReservations(w http.ResponseWriter, r *http.Request, e errand) error {
	_, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	items, next, err := a.rules.ListReservations(r.Context(), e.place.Project.ID, page)
	if err != nil {
		return err
	}
	holders := make([]string, len(items))
	for i, item := range items {
		holders[i] = item.ReservedBy
	}
	names, err := a.rules.Names(r.Context(), holders)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(items, next, func(i storage.Item) reservationJSON {
		return reservationJSON{
			ID: a.rules.ItemURN(i.ID), Name: i.Name, Folder: a.rules.FolderURN(i.FolderID),
			UserID: i.ReservedBy, UserName: names[i.ReservedBy], ReservedAt: i.ReservedAt, ReservedUntil: i.ReservedUntil,
		}
	}))
}

// breakReservation serves DELETE
// /admin/v1/projects/{projectId}/reservations/{itemId}.
func (a *API) breakReservation(w http.ResponseWriter, r *http.Request, e errand) error {
	name, err := httpio.PathID(r, itemVariable)
	if err != nil {
		return err
	}
	id, err := a.rules.ItemID(name)
	if err != nil {
		return err
	}
	if err := a.rules.BreakReservation(r.Context(), e.change, e.place.Project.ID, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
