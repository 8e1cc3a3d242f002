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
	const read, write = scope.AccountRead, scope.AccountWrite
	to := func(scope string, h http.Handler) endpoint { return endpoint{h, scope} }
	return []route{
		{template: "/users", methods: methods{"GET": to(read, p.ListUsers()), "POST": to(write, p.CreateUser())}},
		{template: user, methods: methods{"GET": to(read, p.ShowUser()), "PATCH": to(write, p.ChangeUser()), "DELETE": to(write, p.DeleteUser())}},
		{template: user + "/password-link", methods: methods{"POST": to(write, p.PasswordLink())}},
		{template: user + "/end-sessions", methods: methods{"POST": to(write, p.EndSessions())}},
		{template: user + "/consents", methods: methods{"GET": to(read, held.List())}},
		{template: user + "/consents/{clientId}", methods: methods{"DELETE": to(write, held.Withdraw())}},
		{template: "/groups", methods: methods{"GET": to(read, p.ListGroups()), "POST": to(write, p.CreateGroup())}},
		{template: group, methods: methods{"GET": to(read, p.ShowGroup()), "PATCH": to(write, p.ChangeGroup()), "DELETE": to(write, p.DeleteGroup())}},
		{template: group + "/members", methods: methods{"GET": to(read, p.ListMembers())}},
		{template: group + "/members/{userId}", methods: methods{"PUT": to(write, p.PutMember()), "DELETE": to(write, p.DeleteMember())}},
		{template: "/apps", methods: methods{"GET": to(read, c.List()), "POST": to(write, c.Create())}},
		{template: app, methods: methods{"GET": to(read, c.Show()), "PATCH": to(write, c.Change()), "DELETE": to(write, c.Delete())}},
		{template: app + "/logouts", methods: methods{"GET": to(read, c.ListLogouts())}},
		{template: app + "/secrets", methods: methods{"POST": to(write, c.AddSecret())}},
		{template: app + "/secrets/{secretId}", methods: methods{"DELETE": to(write, c.DeleteSecret())}},
		{template: "/audit", methods: methods{"GET": to(read, p.ListAudit())}},
		{template: "/audit/{eventId}", methods: methods{"GET": to(read, p.ShowAudit())}},
		{template: "/keys", methods: methods{"GET": to(read, s.ListKeys(door))}},
		{template: "/keys/rotate", methods: methods{"POST": to(write, s.RotateKeys(door))}},
		{template: "/limits", methods: methods{"GET": to(read, s.ListLimits(door))}},
	}
}
