package directory

import (
	"encoding/json"
	"net/http"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
)

const directoryVariable = "directoryId"

// API is the operations under /admin/v1/directories.
type API struct {
	rules *Directories
	door  *adminapi.Door
}

// NewAPI returns the operations.
func NewAPI(rules *Directories, door *adminapi.Door) *API { return &API{rules, door} }

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	const one = "/directories/{directoryId}"
	return []httpio.Route{
		httpio.At("/directories").Get(a.door.Read(a.list)).Post(a.door.Write(a.create)),
		httpio.At(one).Get(a.door.Read(a.of(a.show))).Patch(a.door.Write(a.of(a.change))).
			Delete(a.door.Write(a.of(a.delete))),
		httpio.At(one + "/test").Post(a.door.Write(a.of(a.test))),
		httpio.At(one + "/sync").Post(a.door.Write(a.of(a.sync))),
	}
}

// changeJSON is what a directory is to be, or become.
type changeJSON struct {
	Name        *string         `json:"name"`
	Position    *int            `json:"position"`
	Domains     *[]string       `json:"domains"`
	Exclusive   *bool           `json:"exclusive"`
	GroupPrefix *string         `json:"group_prefix"`
	Secret      *string         `json:"secret"`
	Config      json.RawMessage `json:"config"`
}

// StepJSON is a step of a test in the API.
type StepJSON struct {
	Step   string `json:"step"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

func newStepJSON(s Step) StepJSON {
	return StepJSON{Step: s.Name(), OK: s.Err == nil, Detail: s.Said()}
}

// list serves GET /admin/v1/directories.
func (a *API) list(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	all, err := a.rules.List(r.Context())
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", func(v View) View { return v }))
}

// create serves POST /admin/v1/directories.
func (a *API) create(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	var body struct {
		ID   string `json:"id"`
		Kind string `json:"kind"`
		changeJSON
	}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	made, err := a.rules.Create(r.Context(), c.Act, body.ID, body.Kind, Change(body.changeJSON))
	if err != nil {
		return err
	}
	view, err := a.rules.Show(r.Context(), made.ID)
	if err != nil {
		return err
	}
	return adminapi.Created(w, "directories/"+made.ID, view)
}

// of is an operation on the directory that the path names.
func (a *API) of(do func(w http.ResponseWriter, r *http.Request, c adminapi.Call, id string) error) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		id, err := httpio.PathID(r, directoryVariable)
		if err != nil {
			return err
		}
		return do(w, r, c, id)
	}
}

// show serves GET /admin/v1/directories/{directoryId}.
func (a *API) show(w http.ResponseWriter, r *http.Request, _ adminapi.Call, id string) error {
	view, err := a.rules.Show(r.Context(), id)
	if err != nil {
		return err
	}
	return adminapi.OK(w, view)
}

// change serves PATCH /admin/v1/directories/{directoryId}: all that the body says, or nothing.
func (a *API) change(w http.ResponseWriter, r *http.Request, c adminapi.Call, id string) error {
	var body struct {
		changeJSON
		Disabled *bool `json:"disabled"`
	}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	if _, err := a.rules.set(r.Context(), c.Act, id, Change(body.changeJSON), body.Disabled); err != nil {
		return err
	}
	return a.show(w, r, c, id)
}

// delete serves DELETE /admin/v1/directories/{directoryId}.
func (a *API) delete(w http.ResponseWriter, r *http.Request, c adminapi.Call, id string) error {
	if err := a.rules.Delete(r.Context(), c.Act, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// test serves POST /admin/v1/directories/{directoryId}/test.
func (a *API) test(w http.ResponseWriter, r *http.Request, _ adminapi.Call, id string) error {
	var body struct {
		Person string `json:"person"`
	}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	steps, err := a.rules.Test(r.Context(), id, body.Person)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(steps, "", newStepJSON))
}

// sync serves POST /admin/v1/directories/{directoryId}/sync.
func (a *API) sync(w http.ResponseWriter, r *http.Request, _ adminapi.Call, id string) error {
	var body struct {
		Gone bool `json:"they_are_gone"`
	}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	if err := a.rules.WalkSoon(r.Context(), id, body.Gone); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
