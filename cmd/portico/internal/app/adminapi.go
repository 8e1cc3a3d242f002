package app

import (
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// newDoor tells the administration API who stands behind sessions and tokens.
func newDoor(p *parts, sessions *websession.Manager) *adminapi.Door {
	return adminapi.New(adminapi.Options{
		Session: func(r *http.Request) (storage.User, bool, error) {
			session, signedIn, err := sessions.Find(r)
			return session.User, signedIn, err
		},
		Token: func(r *http.Request) (adminapi.Token, error) {
			caller, err := p.bearer.Authenticate(r)
			return adminapi.Token{
				ClientID: caller.ClientID, UserID: caller.UserID, ServiceAccount: caller.ServiceAccount(),
				Read: caller.Has(scope.AccountRead), Write: caller.Has(scope.AccountWrite),
			}, err
		},
		User: func(r *http.Request, id string) (storage.User, error) {
			user, err := p.store.FindUser(r.Context(), id)
			if err == nil && user.Disabled {
				err = fault.New(fault.NotFound, "", "The user is disabled.")
			}
			return user, err
		},
		Now: func(r *http.Request) storage.Act {
			exchange := httpio.From(r.Context())
			return storage.Act{At: p.ambient.Now(), RequestID: exchange.RequestID, Address: exchange.Address}
		},
		Protect: websession.Protect(adminapi.WriteError),
	})
}

// adminAPI is what programs of administrators call.
func (a *App) adminAPI() []route {
	d := a.parts.desks
	p, c, s, door, held := d.peopleAPI, d.appsAPI, d.system, d.door, d.consents
	const user, group, app = "/users/{userId}", "/groups/{groupId}", "/apps/{clientId}"
	return []route{
		{template: "/users", methods: methods{"GET": p.ListUsers(), "POST": p.CreateUser()}},
		{template: user, methods: methods{"GET": p.ShowUser(), "PATCH": p.ChangeUser(), "DELETE": p.DeleteUser()}},
		{template: user + "/password-link", methods: methods{"POST": p.PasswordLink()}},
		{template: user + "/end-sessions", methods: methods{"POST": p.EndSessions()}},
		{template: user + "/consents", methods: methods{"GET": held.List()}},
		{template: user + "/consents/{clientId}", methods: methods{"DELETE": held.Withdraw()}},
		{template: "/groups", methods: methods{"GET": p.ListGroups(), "POST": p.CreateGroup()}},
		{template: group, methods: methods{"GET": p.ShowGroup(), "PATCH": p.ChangeGroup(), "DELETE": p.DeleteGroup()}},
		{template: group + "/members", methods: methods{"GET": p.ListMembers()}},
		{template: group + "/members/{userId}", methods: methods{"PUT": p.PutMember(), "DELETE": p.DeleteMember()}},
		{template: "/apps", methods: methods{"GET": c.List(), "POST": c.Create()}},
		{template: app, methods: methods{"GET": c.Show(), "PATCH": c.Change(), "DELETE": c.Delete()}},
		{template: app + "/logouts", methods: methods{"GET": c.ListLogouts()}},
		{template: app + "/secrets", methods: methods{"POST": c.AddSecret()}},
		{template: app + "/secrets/{secretId}", methods: methods{"DELETE": c.DeleteSecret()}},
		{template: "/audit", methods: methods{"GET": p.ListAudit()}},
		{template: "/audit/{eventId}", methods: methods{"GET": p.ShowAudit()}},
		{template: "/keys", methods: methods{"GET": s.ListKeys(door)}},
		{template: "/keys/rotate", methods: methods{"POST": s.RotateKeys(door)}},
		{template: "/limits", methods: methods{"GET": s.ListLimits(door)}},
	}
}
