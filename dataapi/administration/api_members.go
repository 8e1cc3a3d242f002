package administration

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// memberJSON is a member in the API.
type memberJSON struct {
	ID         string          `json:"id"` // the user's or service account's
	Name       string          `json:"name"`
	Role       string          `json:"role"`
	AddedAt    time.Time       `json:"added_at"`
	Invitation *invitationJSON `json:"invitation,omitempty"` // when they were not known before
}

type invitationJSON struct {
	URL       string    `json:"url,omitempty"` // absent: it was mailed
	ExpiresAt time.Time `json:"expires_at"`
}

// members is the operations on the members of hubs, or on those of projects.
type members struct {
	api      *API
	in       func(task) adminapi.Operation
	template string
	of       func(errand) Membership
	path     func(Membership) string
}

func (a *API) hubMembers() members {
	return members{
		api: a, in: a.inHub, template: hubTemplate + "/members",
		of:   func(e errand) Membership { return Membership{HubID: e.place.Hub.ID} },
		path: func(m Membership) string { return "hubs/" + m.HubID + "/members/" + m.UserID },
	}
}

func (a *API) projectMembers() members {
	return members{
		api: a, in: a.inProject, template: projectTemplate + "/members",
		of:   func(e errand) Membership { return Membership{ProjectID: e.place.Project.ID} },
		path: func(m Membership) string { return "projects/" + m.ProjectID + "/members/" + m.UserID },
	}
}

// list serves GET …/members.
func (m members) list(w http.ResponseWriter, r *http.Request, e errand) error {
	_, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	members, next, err := m.api.rules.PageMembers(r.Context(), m.of(e), page)
	if err != nil {
		return err
	}
	ids := make([]string, len(members))
	for i, member := range members {
		ids[i] = member.UserID
	}
	names, err := m.api.rules.Names(r.Context(), ids)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(members, next,
		func(member storage.Member) memberJSON { return newMemberJSON(member, names) }))
}

func newMemberJSON(m storage.Member, names map[string]string) memberJSON {
	return memberJSON{ID: m.UserID, Name: names[m.UserID], Role: RoleName(m.Admin), AddedAt: m.AddedAt}
}

// add serves POST …/members: somebody by id or by address. An address that
// nobody has becomes an invitation, where the caller may invite.
func (m members) add(w http.ResponseWriter, r *http.Request, e errand) error {
	var body struct {
		User string `json:"user"`
		Role string `json:"role"`
	}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	admin, err := ParseRole(body.Role)
	if err != nil {
		return err
	}
	id, invitation, err := m.api.summon(r, e, body.User)
	if err != nil {
		return err
	}
	wanted := m.of(e)
	wanted.UserID, wanted.Admin = id, admin
	shown, err := m.set(r, e, wanted)
	if err != nil {
		return err
	}
	shown.Invitation = invitation
	return adminapi.Created(w, m.path(wanted), shown)
}

// summon finds somebody, or invites them.
func (a *API) summon(r *http.Request, e errand, handle string) (string, *invitationJSON, error) {
	id, err := a.rules.PersonFor(r.Context(), e.who, handle)
	if !e.who.Server || !IsUnknownAddress(err, handle) {
		return id, nil, err
	}
	invited, err := a.invite(r.Context(), e.change.Act, handle)
	if err != nil {
		return "", nil, err
	}
	return invited.UserID, &invitationJSON{invited.URL, invited.Until}, nil
}

func (m members) set(r *http.Request, e errand, wanted Membership) (memberJSON, error) {
	if err := m.api.rules.SetMember(r.Context(), e.change, wanted); err != nil {
		return memberJSON{}, err
	}
	return m.find(r, wanted)
}

func (m members) find(r *http.Request, wanted Membership) (memberJSON, error) {
	member, err := m.api.rules.FindMember(r.Context(), wanted)
	if err != nil {
		return memberJSON{}, err
	}
	names, err := m.api.rules.Names(r.Context(), []string{member.UserID})
	return newMemberJSON(member, names), err
}

// one is a task on the member in the path.
func (m members) one(do func(w http.ResponseWriter, r *http.Request, e errand, member Membership) error) task {
	return func(w http.ResponseWriter, r *http.Request, e errand) error {
		member := m.of(e)
		var err error
		if member.UserID, err = httpio.PathID(r, userVariable); err != nil {
			return err
		}
		return do(w, r, e, member)
	}
}

// show serves GET …/members/{userId}.
func (m members) show(w http.ResponseWriter, r *http.Request, _ errand, member Membership) error {
	shown, err := m.find(r, member)
	if err != nil {
		return err
	}
	return adminapi.OK(w, shown)
}

// put serves PUT …/members/{userId}: it adds somebody by id, or changes their
// role.
func (m members) put(w http.ResponseWriter, r *http.Request, e errand, member Membership) error {
	var body struct {
		Role string `json:"role"`
	}
	err := httpio.ReadJSON(w, r, &body)
	if err != nil {
		return err
	}
	if member.Admin, err = ParseRole(body.Role); err != nil {
		return err
	}
	shown, err := m.set(r, e, member)
	if err != nil {
		return err
	}
	return adminapi.OK(w, shown)
}

// remove serves DELETE …/members/{userId}.
func (m members) remove(w http.ResponseWriter, r *http.Request, e errand, member Membership) error {
	if err := m.api.rules.RemoveMember(r.Context(), e.change, member); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
