package people

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/storage"
)

// API is the operations under /admin/v1 about users, groups and the audit
// trail. They do what the pages do, by the same rules.
type API struct {
	people  *People
	door    *adminapi.Door
	baseURL string            // of the links that are handed out
	limits  *ratelimit.Limits // of what has mails sent; nil: none
}

// NewAPI returns the operations.
func NewAPI(people *People, door *adminapi.Door, baseURL string, limits *ratelimit.Limits) *API {
	return &API{people: people, door: door, baseURL: baseURL, limits: limits}
}

// UserRoutes are the operations on users.
func (a *API) UserRoutes() []httpio.Route {
	const user = "/users/{userId}"
	return []httpio.Route{
		httpio.At("/users").Get(a.door.Read(a.listUsers)).Post(a.door.Write(a.createUser)),
		httpio.At("/users/import").Post(a.door.Write(a.importUsers)),
		httpio.At(user).Get(a.door.Read(a.user(a.showUser))).Patch(a.door.Write(a.user(a.changeUser))).
			Delete(a.door.Write(a.user(a.deleteUser))),
		httpio.At(user + "/password-link").Post(a.door.Write(a.user(a.passwordLink))),
		httpio.At(user + "/invitation").Post(a.door.Write(a.user(a.inviteUser))),
		httpio.At(user + "/sessions").Get(a.door.Read(a.user(a.listSessions))),
		httpio.At(user + "/sessions/{sessionId}").Delete(a.door.Write(a.user(a.endSession))),
		httpio.At(user + "/end-sessions").Post(a.door.Write(a.user(a.endSessions))),
	}
}

// AuditRoutes are the operations on the audit trail.
func (a *API) AuditRoutes() []httpio.Route {
	return []httpio.Route{
		httpio.At("/audit").Get(a.door.Read(a.listAudit)),
		httpio.At("/audit/{eventId}").Get(a.door.ReadPart(a.showAudit)),
	}
}

// userJSON is a user in the API. Fields holds what people.Fields lists, by name.
type userJSON struct {
	ID           string            `json:"id"`
	Fields       map[string]string `json:"fields"`
	Admin        bool              `json:"admin"`
	Disabled     bool              `json:"disabled"`
	TwoFactor    bool              `json:"is_2fa_enabled"`
	CreatedAt    time.Time         `json:"created_at"`
	UpdatedAt    time.Time         `json:"updated_at"`
	LastSignInAt *time.Time        `json:"last_sign_in_at"`
	ManagedBy    *ownerJSON        `json:"managed_by,omitempty"` // where one user is asked for
}

func newUserJSON(u storage.User) userJSON {
	fields := map[string]string{}
	for _, value := range Values(u) {
		fields[value.Field] = value.Value
	}
	return userJSON{
		ID: u.ID, Fields: fields, Admin: u.Admin, Disabled: u.Disabled, TwoFactor: u.TwoFactor,
		CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt, LastSignInAt: adminapi.Moment(u.LastSignInAt),
	}
}

// userChange is what a user is to be, or become.
type userChange struct {
	Fields   map[string]string `json:"fields"`
	Password string            `json:"password"` // when adding only
	Admin    *bool             `json:"admin"`
	Disabled *bool             `json:"disabled"` // when changing only
}

func (c userChange) settings() []Setting {
	var settings []Setting
	for _, name := range slices.Sorted(maps.Keys(c.Fields)) {
		settings = append(settings, Setting{name, c.Fields[name]})
	}
	return settings
}

// listUsers serves GET /admin/v1/users.
func (a *API) listUsers(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	query, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	if _, err := adminapi.Flags(query, userSortNames()...); err != nil {
		return err
	}
	users, err := a.people.List(r.Context(), ParseUserFilter(query), page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.Listed(users, newUserJSON))
}

// createUser serves POST /admin/v1/users.
func (a *API) createUser(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	var body userChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	newcomer := Newcomer{
		Email: body.Fields[FieldEmail], Name: body.Fields[FieldName], Username: body.Fields[FieldUsername],
		Password: body.Password, Admin: body.Admin != nil && *body.Admin,
	}
	for _, s := range body.settings() {
		if s.Field != FieldEmail && s.Field != FieldName && s.Field != FieldUsername {
			newcomer.Settings = append(newcomer.Settings, s)
		}
	}
	user, err := a.people.Create(r.Context(), c.Act, newcomer)
	if err != nil {
		return err
	}
	return adminapi.Created(w, "users/"+user.ID, newUserJSON(user))
}

// user is an operation on the user that the path names.
func (a *API) user(do func(w http.ResponseWriter, r *http.Request, c adminapi.Call,
	u storage.User) error) adminapi.Operation {
	return func(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
		user, err := httpio.Named(r, userVariable, a.people.FindByID)
		if err != nil {
			return err
		}
		return do(w, r, c, user)
	}
}

// showUser serves GET /admin/v1/users/{userId}.
func (a *API) showUser(w http.ResponseWriter, r *http.Request, _ adminapi.Call, u storage.User) error {
	told := newUserJSON(u)
	var err error
	told.ManagedBy, err = a.ownerOf(r.Context(), u.ID)
	if err != nil {
		return err
	}
	return adminapi.OK(w, told)
}

// ownerJSON is the company that somebody comes from.
type ownerJSON struct {
	ConnectionID string `json:"connection_id"`
	Name         string `json:"name"`
}

func (a *API) ownerOf(ctx context.Context, id string) (*ownerJSON, error) {
	owner, owned, err := a.people.Owner(ctx, id)
	if err != nil || !owned {
		return nil, err
	}
	return new(ownerJSON(owner)), nil
}

// changeUser serves PATCH /admin/v1/users/{userId}: all that the body says, or nothing.
func (a *API) changeUser(w http.ResponseWriter, r *http.Request, c adminapi.Call, u storage.User) error {
	var body userChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	user, err := a.people.Update(r.Context(), c.Act, u.ID,
		Change{Settings: body.settings(), Admin: body.Admin, Disabled: body.Disabled})
	if err != nil {
		return err
	}
	return adminapi.OK(w, newUserJSON(user))
}

// deleteUser serves DELETE /admin/v1/users/{userId}.
func (a *API) deleteUser(w http.ResponseWriter, r *http.Request, c adminapi.Call, u storage.User) error {
	if err := a.people.Delete(r.Context(), c.Act, u, false); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// invitationJSON is how somebody gets in; without an address it was mailed.
type invitationJSON struct {
	URL       string    `json:"url,omitempty"`
	ExpiresAt time.Time `json:"expires_at"`
}

// inviteUser serves POST /admin/v1/users/{userId}/invitation.
func (a *API) inviteUser(w http.ResponseWriter, r *http.Request, c adminapi.Call, u storage.User) error {
	invitation, err := a.people.InviteUser(r.Context(), c.Act, u, c.User.Title())
	if err != nil {
		return err
	}
	return adminapi.WriteJSON(w, http.StatusCreated, invitationJSON{invitation.URL(a.baseURL), invitation.Until})
}

// linkJSON is a link to hand to somebody.
type linkJSON struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
}

// passwordLink serves POST /admin/v1/users/{userId}/password-link.
func (a *API) passwordLink(w http.ResponseWriter, r *http.Request, c adminapi.Call, u storage.User) error {
	link, err := a.people.PasswordLink(r.Context(), c.Act, u)
	if err != nil {
		return err
	}
	return adminapi.WriteJSON(w, http.StatusCreated, linkJSON{link.PasswordURL(a.baseURL), link.Until})
}

// endSessions serves POST /admin/v1/users/{userId}/end-sessions.
func (a *API) endSessions(w http.ResponseWriter, r *http.Request, c adminapi.Call, u storage.User) error {
	if err := a.people.EndSessions(r.Context(), c.Act, u.ID); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// showAudit serves GET /admin/v1/audit/{eventId}. For everybody else there is
// no such event, whatever its number.
func (a *API) showAudit(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	if !c.User.Admin {
		return noEvent()
	}
	event, err := httpio.Named(r, eventVariable, a.people.AuditEvent)
	if err != nil {
		return err
	}
	return adminapi.OK(w, NewEventJSON(event))
}

// listAudit serves GET /admin/v1/audit.
func (a *API) listAudit(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	query, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	filter, err := ParseAuditFilter(query, time.UTC)
	if err != nil {
		return err
	}
	events, next, err := a.people.Audit(r.Context(), filter, page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(events, next, NewEventJSON))
}
