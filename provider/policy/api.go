package policy

import (
	"net/http"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
)

// API is the operations under /admin/v1/policy.
type API struct {
	policy *Policy
	door   *adminapi.Door
}

// NewAPI returns the operations.
func NewAPI(policy *Policy, door *adminapi.Door) *API { return &API{policy, door} }

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	return []httpio.Route{httpio.At("/policy").Get(a.door.Read(a.show)).Patch(a.door.Write(a.change))}
}

// show serves GET /admin/v1/policy.
func (a *API) show(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	said, err := a.policy.Said(r.Context())
	if err != nil {
		return err
	}
	return adminapi.OK(w, said)
}

// change serves PATCH /admin/v1/policy.
func (a *API) change(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	var change Decisions
	if err := httpio.ReadJSON(w, r, &change); err != nil {
		return err
	}
	said, err := a.policy.Set(r.Context(), c.Act, change)
	if err != nil {
		return err
	}
	return adminapi.OK(w, said)
}
