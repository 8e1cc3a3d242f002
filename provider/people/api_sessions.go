package people

import (
	"net/http"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// listSessions serves GET /admin/v1/users/{userId}/sessions.
func (a *API) listSessions(w http.ResponseWriter, r *http.Request, _ adminapi.Call, u storage.User) error {
	sessions, err := a.people.Sessions(r.Context(), u.ID)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(sessions, "", NewSessionJSON))
}

// endSession serves DELETE /admin/v1/users/{userId}/sessions/{sessionId}.
func (a *API) endSession(w http.ResponseWriter, r *http.Request, c adminapi.Call, u storage.User) error {
	id, err := httpio.PathID(r, sessionVariable)
	if err != nil {
		return err
	}
	if err := a.people.EndSession(r.Context(), c.Act, u.ID, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
