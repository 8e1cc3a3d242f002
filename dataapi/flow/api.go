package flow

import (
	"net/http"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

const versionVariable = "versionId"

// APIOptions are what an API is made of. Every field is needed.
type APIOptions struct {
	Rules     *Rules
	Bearer    *bearer.Authenticator
	Ambient   *ambient.Source
	Namespace string // of URNs
}

// API is the operations under /files/v1.
type API struct {
	rules   *Rules
	bearer  *bearer.Authenticator
	ambient *ambient.Source
	urn     urn.Space
}

// NewAPI returns the operations.
func NewAPI(o APIOptions) *API { return &API{o.Rules, o.Bearer, o.Ambient, urn.Space(o.Namespace)} }

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	on := func(scope string, do func(http.ResponseWriter, *http.Request, access.Errand) error) httpio.Endpoint {
		return access.OnErrand(a.bearer, adminapi.WriteError, a.ambient.Now, scope, do)
	}
	const project = "/projects/{projectId}"
	return []httpio.Route{
		httpio.Shared(project + "/versions/{versionId}/state").Get(on(scope.DataRead, a.getState)).
			Put(on(scope.DataWrite, a.putState)),
		httpio.Shared(project + "/naming").Get(on(scope.DataRead, a.getNaming)).Put(on(scope.DataWrite, a.putNaming)),
	}
}

// stateJSON is a state in the API; what is not said is empty.
type stateJSON struct {
	Version     string `json:"version"`
	State       string `json:"state"`
	Suitability string `json:"suitability"`
	Revision    string `json:"revision"`
}

func (a *API) stateOf(ref storage.VersionRef, s storage.VersionState) stateJSON {
	return stateJSON{a.urn.Version(ref.ItemID, ref.Number), s.State, s.Suitability, s.Revision}
}

func (a *API) version(r *http.Request) (storage.VersionRef, error) {
	name, err := httpio.PathID(r, versionVariable)
	if err != nil {
		return storage.VersionRef{}, err
	}
	ref, ok := a.urn.VersionRef(name)
	if !ok {
		form := strings.Replace(a.urn.Version("<id>", 0), "=0", "=<number>", 1)
		return ref, invalid(versionVariable, "The id must look like "+form+", percent-encoded once.")
	}
	return ref, nil
}

// getState serves GET …/versions/{versionId}/state.
func (a *API) getState(w http.ResponseWriter, r *http.Request, e access.Errand) error {
	ref, err := a.version(r)
	if err != nil {
		return err
	}
	state, err := a.rules.State(r.Context(), e.Change.Caller, e.Project, ref)
	if err != nil {
		return err
	}
	return adminapi.OK(w, a.stateOf(ref, state))
}

// putState serves PUT …/versions/{versionId}/state.
func (a *API) putState(w http.ResponseWriter, r *http.Request, e access.Errand) error {
	var body storage.VersionState
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	ref, err := a.version(r)
	if err != nil {
		return err
	}
	if err := a.rules.SetState(r.Context(), e.Change, e.Project, ref, body); err != nil {
		return err
	}
	return adminapi.OK(w, a.stateOf(ref, body))
}

// namingJSON is a rule of names; the folder is told by its URN.
type namingJSON struct {
	Separator string                `json:"separator"`
	Fields    []storage.NamingField `json:"fields"`
	Holding   string                `json:"holding"`
}

// getNaming serves GET …/naming.
func (a *API) getNaming(w http.ResponseWriter, r *http.Request, e access.Errand) error {
	rule, err := a.rules.Naming(r.Context(), e.Change.Caller, e.Project)
	if err != nil {
		return err
	}
	return adminapi.OK(w, a.namingOf(rule))
}

func (a *API) namingOf(rule storage.Naming) namingJSON {
	said := namingJSON{Separator: rule.Separator, Fields: rule.Fields}
	if said.Fields == nil {
		said.Fields = []storage.NamingField{}
	}
	if rule.Holding != "" {
		said.Holding = a.urn.Folder(rule.Holding)
	}
	return said
}

// putNaming serves PUT …/naming.
func (a *API) putNaming(w http.ResponseWriter, r *http.Request, e access.Errand) error {
	var body namingJSON
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	rule := storage.Naming{Separator: body.Separator, Fields: body.Fields}
	if body.Holding != "" {
		id, ok := a.urn.FolderUID(body.Holding)
		if !ok {
			return fault.Newf(fault.Invalid, reasonInvalid, "It must look like %s.", a.urn.Folder("<id>")).At("holding")
		}
		rule.Holding = id
	}
	if err := a.rules.SetNaming(r.Context(), e.Change, e.Project, rule); err != nil {
		return err
	}
	return adminapi.OK(w, a.namingOf(rule))
}
