package transmittal

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

const (
	numberVariable  = "number"
	versionVariable = "versionId"
)

// Archives answer with the address of an archive: *archive.API.
type Archives interface {
	Hand(w http.ResponseWriter, r *http.Request, who storage.Caller, archive storage.Archive) error
}

// APIOptions are what an API is made of. Every field is needed.
type APIOptions struct {
	Rules     *Rules
	Bearer    *bearer.Authenticator
	Archives  Archives
	Namespace string // of URNs
}

// API is the operations under /files/v1.
type API struct {
	rules    *Rules
	bearer   *bearer.Authenticator
	archives Archives
	urn      urn.Space
}

// NewAPI returns the operations.
func NewAPI(o APIOptions) *API { return &API{o.Rules, o.Bearer, o.Archives, urn.Space(o.Namespace)} }

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	on := func(scope string, do func(http.ResponseWriter, *http.Request, access.Errand) error) httpio.Endpoint {
		return access.OnErrand(a.bearer, adminapi.WriteError, a.rules.with.Ambient.Now, scope, do)
	}
	const all = "/projects/{projectId}/transmittals"
	const one = all + "/{number}"
	return []httpio.Route{
		httpio.Shared(all).Get(on(scope.DataRead, a.list)).Post(on(scope.DataCreate, a.send)),
		httpio.Shared(one).Get(on(scope.DataRead, a.get)),
		httpio.Shared(one + "/fetches").Get(on(scope.DataRead, a.fetches)),
		httpio.Shared(one + "/archive").Post(on(scope.DataRead, a.pack)),
		httpio.Shared(one + "/versions/{versionId}/bytes").Get(on(scope.DataRead, a.bytes)),
	}
}

// Number is that of a transmittal in the path.
func Number(r *http.Request) (int, error) {
	text, err := httpio.PathID(r, numberVariable)
	if err != nil {
		return 0, err
	}
	number, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(number) != text {
		return 0, fault.Absent("transmittal")
	}
	return number, nil
}

// list serves GET …/transmittals.
func (a *API) list(w http.ResponseWriter, r *http.Request, e access.Errand) error {
	_, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	_, all, next, err := a.rules.List(r.Context(), e.Change.Caller, e.Project, page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, next, inList))
}

// send serves POST …/transmittals.
func (a *API) send(w http.ResponseWriter, r *http.Request, e access.Errand) error {
	var body struct {
		Title    string   `json:"title"`
		Message  string   `json:"message"`
		Versions []string `json:"versions"`
		To       []string `json:"to"`
	}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	draft := Draft{Title: body.Title, Message: body.Message, To: body.To}
	for _, name := range body.Versions {
		ref, ok := a.urn.VersionRef(name)
		if !ok {
			return a.malformed(FieldVersions)
		}
		draft.Versions = append(draft.Versions, ref)
	}
	sent, err := a.rules.Send(r.Context(), e.Change, e.Project, draft)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/files/v1/projects/"+e.Project+"/transmittals/"+strconv.Itoa(sent.Number))
	return adminapi.WriteJSON(w, http.StatusCreated, inList(sent))
}

func (a *API) malformed(field string) error {
	return fault.Newf(fault.Invalid, reasonInvalid, "It must look like %s.",
		strings.Replace(a.urn.Version("<id>", 0), "=0", "=<number>", 1)).At(field)
}

// get serves GET …/transmittals/{number}.
func (a *API) get(w http.ResponseWriter, r *http.Request, e access.Errand) error {
	number, err := Number(r)
	if err != nil {
		return err
	}
	seen, err := a.rules.Find(r.Context(), e.Change.Caller, e.Project, number)
	if err != nil {
		return err
	}
	return adminapi.OK(w, a.whole(seen))
}

// fetches serves GET …/transmittals/{number}/fetches.
func (a *API) fetches(w http.ResponseWriter, r *http.Request, e access.Errand) error {
	number, err := Number(r)
	if err != nil {
		return err
	}
	_, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	_, all, next, err := a.rules.Fetched(r.Context(), e.Change.Caller, e.Project, number, page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, next, func(f storage.Fetched) fetchJSON {
		return fetchJSON{f.UserID, a.urn.Version(f.ItemID, f.Number), f.Name, f.At}
	}))
}

// pack serves POST …/transmittals/{number}/archive.
func (a *API) pack(w http.ResponseWriter, r *http.Request, e access.Errand) error {
	number, err := Number(r)
	if err != nil {
		return err
	}
	httpio.AtLeisure(w)
	made, err := a.rules.Pack(r.Context(), e.Change.Caller, e.Project, number)
	if err != nil {
		return err
	}
	return a.archives.Hand(w, r, e.Change.Caller, made)
}

// bytes serves GET …/transmittals/{number}/versions/{versionId}/bytes.
func (a *API) bytes(w http.ResponseWriter, r *http.Request, e access.Errand) error {
	number, err := Number(r)
	if err != nil {
		return err
	}
	name, err := httpio.PathID(r, versionVariable)
	if err != nil {
		return err
	}
	ref, ok := a.urn.VersionRef(name)
	if !ok {
		return a.malformed(versionVariable)
	}
	return a.rules.Fetch(w, r, e.Change.Caller, e.Project, number, ref)
}
