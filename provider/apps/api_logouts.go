package apps

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/storage"
)

// logoutJSON is what an app was or is to be told of one session's end.
type logoutJSON struct {
	ID          int64      `json:"id"`
	State       string     `json:"state"` // delivered, waiting or failed
	UserID      string     `json:"user_id"`
	Attempts    int        `json:"attempts"`
	CreatedAt   time.Time  `json:"created_at"`
	LastAt      *time.Time `json:"last_at,omitempty"`
	LastStatus  int        `json:"last_status,omitempty"`
	Failure     string     `json:"failure,omitempty"`
	NextAt      *time.Time `json:"next_at,omitempty"`
	DeliveredAt *time.Time `json:"delivered_at,omitempty"`
}

func newLogoutJSON(d storage.LogoutDelivery) logoutJSON {
	return logoutJSON{
		ID: d.ID, State: d.State(), UserID: d.UserID, Attempts: d.Attempts, CreatedAt: d.CreatedAt,
		LastAt:     adminapi.Moment(d.LastAt),
		LastStatus: d.LastStatus, Failure: d.Failure, NextAt: adminapi.Moment(d.NextAt),
		DeliveredAt: adminapi.Moment(d.DeliveredAt),
	}
}

// listLogouts serves GET /admin/v1/apps/{clientId}/logouts, newest first.
func (a *API) listLogouts(w http.ResponseWriter, r *http.Request, _ adminapi.Call, client storage.Client) error {
	_, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	deliveries, next, err := a.apps.Logouts(r.Context(), client.ID, page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(deliveries, next, newLogoutJSON))
}
