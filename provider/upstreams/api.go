package upstreams

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// providerVariable is the upstream in the routes of administrators.
const providerVariable = "providerId"

// API is the operations under /admin/v1/upstreams.
type API struct {
	upstreams *Upstreams
	door      *adminapi.Door
}

// NewAPI returns the operations.
func NewAPI(upstreams *Upstreams, door *adminapi.Door) *API { return &API{upstreams, door} }

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	const one = "/upstreams/{" + providerVariable + "}"
	return []httpio.Route{
		httpio.At("/upstreams").Get(a.door.Read(a.list)).Post(a.door.Write(a.create)),
		httpio.At(one).Get(a.door.Read(a.show)).Patch(a.door.Write(a.change)).Delete(a.door.Write(a.delete)),
		httpio.At(one + "/test").Post(a.door.Write(a.test)),
		httpio.At(one + "/groups").Get(a.door.Read(a.groups)).Put(a.door.Write(a.setGroups)),
	}
}

// settingsJSON is what an upstream is to be, or become.
type settingsJSON struct {
	ID       string         `json:"id"`
	Preset   string         `json:"preset"`
	Secret   string         `json:"secret"`
	Disabled *bool          `json:"disabled"`
	Name     any            `json:"name"`
	Position any            `json:"position"`
	Domains  any            `json:"domains"`
	Only     any            `json:"exclusive"`
	Config   map[string]any `json:"config"`
}

// change is the same by the names of fields.
func (s settingsJSON) change() Change {
	change, said := Change{}, maps.Clone(s.Config)
	if said == nil {
		said = map[string]any{}
	}
	maps.Copy(said, map[string]any{"name": s.Name, "position": s.Position, "domains": s.Domains, "exclusive": s.Only})
	for name, value := range said {
		if value != nil {
			change[name] = asText(value)
		}
	}
	return change
}

// asText is a value as a form would have it: lists with commas, numbers in figures.
func asText(value any) string {
	switch v := value.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		all := make([]string, len(v))
		for i, one := range v {
			all[i] = asText(one)
		}
		return strings.Join(all, ",")
	}
	return fmt.Sprint(value)
}

// list serves GET /admin/v1/upstreams.
func (a *API) list(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	all, err := a.upstreams.List(r.Context())
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", JSON))
}

// create serves POST /admin/v1/upstreams.
func (a *API) create(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	var body settingsJSON
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	made, err := a.upstreams.Create(r.Context(), c.Act, body.ID, body.Preset, body.Secret, body.change())
	if err != nil {
		return err
	}
	return adminapi.Created(w, "upstreams/"+made.ID, JSON(made))
}

// show serves GET /admin/v1/upstreams/{providerId}.
func (a *API) show(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	found, err := httpio.Named(r, providerVariable, a.upstreams.Find)
	if err != nil {
		return err
	}
	return adminapi.OK(w, JSON(found))
}

// change serves PATCH /admin/v1/upstreams/{providerId}: all that the body says, or nothing.
func (a *API) change(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	id, err := httpio.PathID(r, providerVariable)
	if err != nil {
		return err
	}
	var body settingsJSON
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	if change := body.change(); len(change) > 0 || body.Secret != "" {
		_, err = a.upstreams.set(r.Context(), c.Act, id, body.Secret, change, body.Disabled)
	} else if body.Disabled != nil {
		err = a.upstreams.Disable(r.Context(), c.Act, id, *body.Disabled)
	}
	if err != nil {
		return err
	}
	return a.show(w, r, c)
}

// delete serves DELETE /admin/v1/upstreams/{providerId}.
func (a *API) delete(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	id, err := httpio.PathID(r, providerVariable)
	if err != nil {
		return err
	}
	if err := a.upstreams.Delete(r.Context(), c.Act, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// stepJSON is a step of a test in the API.
type stepJSON struct {
	Step   string `json:"step"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// test serves POST /admin/v1/upstreams/{providerId}/test.
func (a *API) test(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	steps, err := httpio.Named(r, providerVariable, a.upstreams.Test)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(steps, "", func(s Step) stepJSON {
		return stepJSON{s.Name, s.Err == nil, s.Said()}
	}))
}

// groupJSON says which group there is which here.
type groupJSON struct {
	External string `json:"external"`
	GroupID  string `json:"group_id"`
}

// groups serves GET /admin/v1/upstreams/{providerId}/groups.
func (a *API) groups(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	id, err := httpio.PathID(r, providerVariable)
	if err != nil {
		return err
	}
	if _, err := a.upstreams.Find(r.Context(), id); err != nil {
		return err
	}
	all, err := a.upstreams.with.Store.ListUpstreamGroups(r.Context(), id)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", func(g storage.UpstreamGroup) groupJSON {
		return groupJSON{g.External, g.GroupID}
	}))
}

// setGroups serves PUT /admin/v1/upstreams/{providerId}/groups.
func (a *API) setGroups(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	id, err := httpio.PathID(r, providerVariable)
	if err != nil {
		return err
	}
	var body struct {
		Items []groupJSON `json:"items"`
	}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	var all []storage.UpstreamGroup
	for _, one := range slices.Clip(body.Items) {
		all = append(all, storage.UpstreamGroup{UpstreamID: id, External: one.External, GroupID: one.GroupID})
	}
	if err := a.upstreams.SetGroups(r.Context(), c.Act, id, all); err != nil {
		return err
	}
	return a.groups(w, r, c)
}
