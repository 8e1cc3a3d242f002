package apps

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// memberRoutes are the operations on who manages an app: for those who do, and for
// administrators, who alone add somebody at once.
func (a *API) memberRoutes(app string) []httpio.Route {
	return []httpio.Route{
		httpio.At(app + "/members").Get(a.door.ReadPart(a.managed(a.listMembers))).
			Post(a.door.Write(a.app(a.addMember))),
		httpio.At(app + "/members/{userId}").Delete(a.door.WritePart(a.managed(a.removeMember))),
		httpio.At(app + "/invitations").Get(a.door.ReadPart(a.managed(a.listInvitations))).
			Post(a.door.WritePart(a.managed(a.invite))),
		httpio.At(app + "/invitations/{invitationId}").Delete(a.door.WritePart(a.managed(a.withdraw))),
	}
}

// OwnRoutes are the operations under /account/v1 on what the caller is invited to.
func (a *API) OwnRoutes() []httpio.Route {
	const one = "/invitations/{invitationId}"
	return []httpio.Route{
		httpio.At("/invitations").Get(a.door.ReadPart(a.ownInvitations)),
		httpio.At(one + "/accept").Post(a.door.WritePart(a.answer(a.apps.Accept))),
		httpio.At(one + "/decline").Post(a.door.WritePart(a.answer(a.apps.Decline))),
	}
}

// managed is an operation on an app that the caller manages, or any for an
// administrator.
func (a *API) managed(do ofApp) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		if c.User.Admin {
			operation := a.app(do)
			if r.Method != http.MethodGet {
				operation = a.door.Present(operation)
			}
			return operation(w, r, c)
		}
		id, err := httpio.PathID(r, appVariable)
		if err != nil {
			return err
		}
		client, err := a.apps.Managed(r.Context(), c.User.ID, id)
		if err != nil {
			return err
		}
		return do(w, r, c, client)
	}
}

// MemberJSON is somebody who manages an app, in the API and on the command line.
type MemberJSON struct {
	UserID  string     `json:"user_id"`
	Name    string     `json:"name"`
	Email   string     `json:"email"`
	Owner   bool       `json:"owner"`
	AddedAt *time.Time `json:"added_at,omitempty"`
}

// NewMemberJSON tells of them.
func NewMemberJSON(m Manager) MemberJSON {
	return MemberJSON{m.UserID, m.Name, m.Email, m.Owner, adminapi.Moment(m.AddedAt)}
}

// InvitationJSON is an invitation, in the API and on the command line.
type InvitationJSON struct {
	ID        string    `json:"id"`
	ClientID  string    `json:"client_id"`
	App       string    `json:"app"`
	Invitee   string    `json:"invitee"`
	Inviter   string    `json:"inviter"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// NewInvitationJSON tells of one, and nothing of who is invited but what was typed.
func NewInvitationJSON(i storage.ClientInvitation) InvitationJSON {
	return InvitationJSON{i.ID, i.ClientID, i.App, i.Invitee, i.Inviter, i.CreatedAt, i.ExpiresAt}
}

// listMembers serves GET /admin/v1/apps/{clientId}/members.
func (a *API) listMembers(w http.ResponseWriter, r *http.Request, _ adminapi.Call, client storage.Client) error {
	all, err := a.apps.Managers(r.Context(), client)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", NewMemberJSON))
}

// memberBody names somebody by address or user name.
type memberBody struct {
	Member string `json:"member"`
}

// addMember serves POST /admin/v1/apps/{clientId}/members.
func (a *API) addMember(w http.ResponseWriter, r *http.Request, c adminapi.Call, client storage.Client) error {
	var body memberBody
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	if err := a.apps.AddMember(r.Context(), c.Act, client, body.Member); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// removeMember serves DELETE /admin/v1/apps/{clientId}/members/{userId}.
func (a *API) removeMember(w http.ResponseWriter, r *http.Request, c adminapi.Call, client storage.Client) error {
	id, err := httpio.PathID(r, memberVariable)
	if err != nil {
		return err
	}
	if err := a.apps.RemoveMember(r.Context(), c.Act, client.ID, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// listInvitations serves GET /admin/v1/apps/{clientId}/invitations.
func (a *API) listInvitations(w http.ResponseWriter, r *http.Request, c adminapi.Call, client storage.Client) error {
	all, err := a.apps.Invitations(r.Context(), client.ID, c.Act.At)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", NewInvitationJSON))
}

// invite serves POST /admin/v1/apps/{clientId}/invitations.
func (a *API) invite(w http.ResponseWriter, r *http.Request, c adminapi.Call, client storage.Client) error {
	var body memberBody
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	if err := mayInvite(r.Context(), a.limits, c.Act); err != nil {
		return err
	}
	made, err := a.apps.Invite(r.Context(), c.Act, client, inviter(c.User), body.Member)
	if err != nil {
		return err
	}
	return adminapi.WriteJSON(w, http.StatusCreated, NewInvitationJSON(made))
}

// withdraw serves DELETE /admin/v1/apps/{clientId}/invitations/{invitationId}.
func (a *API) withdraw(w http.ResponseWriter, r *http.Request, c adminapi.Call, client storage.Client) error {
	id, err := httpio.PathID(r, invitationVariable)
	if err != nil {
		return err
	}
	if err := a.apps.Uninvite(r.Context(), c.Act, client.ID, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// ownInvitations serves GET /account/v1/invitations.
func (a *API) ownInvitations(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	all, err := a.apps.InvitationsOf(r.Context(), c.User.ID, c.Act.At)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", NewInvitationJSON))
}

// answer serves POST /account/v1/invitations/{invitationId}/accept and …/decline.
func (a *API) answer(do answering) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		id, err := httpio.PathID(r, invitationVariable)
		if err != nil {
			return err
		}
		if err := do(r.Context(), c.Act, id, c.User.ID); err != nil {
			return err
		}
		return adminapi.NoContent(w)
	}
}
