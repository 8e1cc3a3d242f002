package facilities

import (
	"bytes"
	"net/http"
	"time"

	"github.com/portico-id/portico/dataapi/setup"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
)

// maxBody is how large a file of elements may be that comes by HTTP.
const maxBody = 8 << 20

// importElements serves POST /admin/v1/twins/{twinId}/models/{modelId}/elements:
// a CSV file.
func (a *API) importElements(w http.ResponseWriter, r *http.Request, e errand) error {
	name, err := httpio.PathID(r, modelVariable)
	if err != nil {
		return err
	}
	model, err := a.rules.ModelID(name)
	if err != nil {
		return err
	}
	file, err := httpio.ReadFile(w, r, "text/csv", maxBody)
	if err != nil {
		return err
	}
	httpio.AtLeisure(w)
	done, err := a.rules.ImportElements(r.Context(), e.change, e.twin.ID, model, bytes.NewReader(file))
	if err != nil {
		return err
	}
	return adminapi.OK(w, ImportedJSON(done))
}

// memberJSON is a member in the API.
type memberJSON struct {
	ID      string    `json:"id"` // the user's or service account's
	Name    string    `json:"name"`
	Access  string    `json:"access"` // Read, ReadWrite, Manage or Owner
	AddedAt time.Time `json:"added_at"`
}

func newMemberJSON(m Member) memberJSON {
	return memberJSON{m.UserID, m.Name, AccessName(m.Access), m.AddedAt}
}

// listMembers serves GET /admin/v1/twins/{twinId}/members.
func (a *API) listMembers(w http.ResponseWriter, r *http.Request, e errand) error {
	_, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	members, next, err := a.rules.PageMembers(r.Context(), e.twin.ID, page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(members, next, newMemberJSON))
}

// putMember serves PUT /admin/v1/twins/{twinId}/members/{userId}; the user may
// be named by an address that was verified.
func (a *API) putMember(w http.ResponseWriter, r *http.Request, e errand) error {
	var body struct {
		Access string `json:"access"`
	}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	access, err := ParseAccess(body.Access)
	if err != nil {
		return err
	}
	handle, err := httpio.PathID(r, userVariable)
	if err != nil {
		return err
	}
	id, err := a.person(r.Context(), e.user, handle)
	if e.power < Everyone && fault.Is(err, fault.NotFound) {
		return setup.NoMember()
	}
	if err != nil {
		return err
	}
	if err := a.rules.SetMemberBy(r.Context(), e.power, e.change, e.twin, id, access); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// removeMember serves DELETE /admin/v1/twins/{twinId}/members/{userId}.
func (a *API) removeMember(w http.ResponseWriter, r *http.Request, e errand) error {
	id, err := httpio.PathID(r, userVariable)
	if err != nil {
		return err
	}
	if err := a.rules.RemoveMemberBy(r.Context(), e.power, e.change, e.twin, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
