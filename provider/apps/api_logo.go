package apps

import (
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// setLogo serves PUT /admin/v1/apps/{clientId}/logo.
func (a *API) setLogo(w http.ResponseWriter, r *http.Request, c adminapi.Call, client storage.Client) error {
	file, err := httpio.ReadPicture(w, r, maxLogoFile)
	if err != nil {
		return err
	}
	if err := a.apps.GiveLogo(r.Context(), c.Act, client.ID, file); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// deleteLogo serves DELETE /admin/v1/apps/{clientId}/logo. One that is not there is gone
// all the same.
func (a *API) deleteLogo(w http.ResponseWriter, r *http.Request, c adminapi.Call, client storage.Client) error {
	if err := a.apps.DeleteLogo(r.Context(), c.Act, client.ID); err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return adminapi.NoContent(w)
}
