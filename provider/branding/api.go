package branding

import (
	"net/http"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// API is the operations under /admin/v1/brand.
type API struct {
	branding *Branding
	door     *adminapi.Door
}

// NewAPI returns the operations.
func NewAPI(branding *Branding, door *adminapi.Door) *API { return &API{branding, door} }

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At("/brand").Get(a.door.Read(a.show)).Patch(a.door.Write(a.change)),
		httpio.At("/brand/logo").Put(a.door.Write(a.setLogo)).Delete(a.door.Write(a.deleteLogo)),
	}
}

// JSON is what of the brand was said here, in the API and on the command line.
func JSON(b storage.Brand) map[string]string {
	fields := map[string]string{FieldLogo: templates.BrandLogoPath(b.LogoHash)}
	for _, f := range textFields() {
		fields[f.name] = *f.at(&b)
	}
	return fields
}

// show serves GET /admin/v1/brand.
func (a *API) show(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	brand, err := a.branding.Said(r.Context())
	if err != nil {
		return err
	}
	return adminapi.OK(w, JSON(brand))
}

// change serves PATCH /admin/v1/brand.
func (a *API) change(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	var body Change
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	brand, err := a.branding.Set(r.Context(), c.Act, body)
	if err != nil {
		return err
	}
	return adminapi.OK(w, JSON(brand))
}

// setLogo serves PUT /admin/v1/brand/logo.
func (a *API) setLogo(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	file, err := httpio.ReadPicture(w, r, maxLogoFile)
	if err != nil {
		return err
	}
	if err := a.branding.SetLogo(r.Context(), c.Act, append([]byte{}, file...)); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// deleteLogo serves DELETE /admin/v1/brand/logo.
func (a *API) deleteLogo(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	if err := a.branding.SetLogo(r.Context(), c.Act, nil); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
