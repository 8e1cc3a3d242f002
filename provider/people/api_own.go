package people

import (
	"net/http"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/acts"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/storage"
)

const sessionVariable = "sessionId"

// OwnRoutes are the operations under /account/v1 on the caller themselves: nothing
// in an address says who that is.
func (a *API) OwnRoutes() []httpio.Route {
	return []httpio.Route{
		httpio.At("/profile").Get(a.door.ReadPart(a.ownProfile)).Patch(a.door.WritePart(a.changeOwnProfile)),
		httpio.At("/picture").Put(a.door.WritePart(a.setPicture)).Delete(a.door.WritePart(a.deletePicture)),
		httpio.At("/address").Post(a.door.WriteAgain(a.askAddress)),
		httpio.At("/sessions").Get(a.door.ReadPart(a.ownSessions)).Delete(a.door.WriteAgain(a.endOwnSessions)),
		httpio.At("/sessions/{sessionId}").Delete(a.door.WritePart(a.endOwnSession)),
		httpio.At("/people").Post(a.door.WritePart(a.inviteSomebody)),
		httpio.At("/recovery").Post(httpio.Open(adminapi.WriteError, a.recover)),
	}
}

// ownProfile serves GET /account/v1/profile.
func (a *API) ownProfile(w http.ResponseWriter, _ *http.Request, c adminapi.Call) error {
	return adminapi.OK(w, newUserJSON(c.User))
}

// changeOwnProfile serves PATCH /account/v1/profile: the fields that people change on
// their own pages, and no other.
func (a *API) changeOwnProfile(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	var body struct {
		Fields map[string]string `json:"fields"`
	}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	settings := userChange{Fields: body.Fields}.settings()
	var faults fault.List
	for _, s := range settings {
		if !slices.Contains(append(ownFields(), fieldLocale, fieldZone), s.Field) {
			faults.Add(fault.New(fault.Invalid, ReasonNoField,
				"There is no such field that people change themselves.").At(s.Field))
		}
	}
	if err := faults.Err(); err != nil {
		return err
	}
	user, err := a.people.Update(r.Context(), c.Act, c.User.ID, Change{Settings: settings})
	if err != nil {
		return err
	}
	return adminapi.OK(w, newUserJSON(user))
}

// setPicture serves PUT /account/v1/picture.
func (a *API) setPicture(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	file, err := httpio.ReadPicture(w, r, maxPortraitFile)
	if err != nil {
		return err
	}
	if err := a.people.SetPortrait(r.Context(), c.Act, c.User.ID, file); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// deletePicture serves DELETE /account/v1/picture.
func (a *API) deletePicture(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	if err := a.people.DeletePortrait(r.Context(), c.Act, c.User.ID); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

type addressBody struct {
	Email string `json:"email"`
}

// readAddress reads the body of what has mails sent, and counts it.
func (a *API) readAddress(w http.ResponseWriter, r *http.Request) (address string, err error) {
	var body addressBody
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return "", err
	}
	_, err = a.limits.Allow(r.Context(), ratelimit.Accounts, ratelimit.Key("", httpio.From(r.Context()).Address))
	return body.Email, err
}

// askAddress serves POST /account/v1/address.
func (a *API) askAddress(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	address, err := a.readAddress(w, r)
	if err == nil {
		err = a.people.AskAddress(r.Context(), c.Act, c.User, address)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// inviteSomebody serves POST /account/v1/people: the answer is the same whether somebody
// has the address or not.
func (a *API) inviteSomebody(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	if err := a.people.CheckInvites(); err != nil {
		return err
	}
	address, err := a.readAddress(w, r)
	if err == nil {
		err = a.people.InviteAs(r.Context(), c.Act, c.User, address)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// recover serves POST /account/v1/recovery, which anybody may send. The answer is
// the same whether somebody has the address or not.
func (a *API) recover(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	address, err := a.readAddress(w, r)
	if err == nil {
		act := acts.Of(r.Context(), a.people.ambient.Now(), storage.Actor{Kind: storage.ActorSystem})
		err = a.people.AskRecovery(r.Context(), act, address)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// ownSessions serves GET /account/v1/sessions.
func (a *API) ownSessions(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	return a.listSessions(w, r, c, c.User)
}

// endOwnSession serves DELETE /account/v1/sessions/{sessionId}.
func (a *API) endOwnSession(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	return a.endSession(w, r, c, c.User)
}

// endOwnSessions serves DELETE /account/v1/sessions: everything ends, this token
// too.
func (a *API) endOwnSessions(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	if err := a.people.EndSessions(r.Context(), c.Act, c.User.ID); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
