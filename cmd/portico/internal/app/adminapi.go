package app

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// newDoor tells the administration API who stands behind sessions and tokens.
func newDoor(p *parts, sessions *websession.Manager) *adminapi.Door {
	return adminapi.New(adminapi.Options{
		Session: func(r *http.Request) (storage.User, time.Time, bool, error) {
			session, signedIn, err := sessions.Find(r)
			return session.User, session.ProvenAt(), signedIn, err
		},
		Proven: func(r *http.Request, grantID string) (time.Time, error) {
			grant, err := p.Store.FindGrant(r.Context(), grantID)
			return grant.AuthTime, err
		},
		FreshFor: websession.FreshFor,
		Token: func(r *http.Request) (adminapi.Token, error) {
			caller, err := p.bearer.Authenticate(r)
			return adminapi.Token{
				ClientID: caller.ClientID, UserID: caller.UserID, GrantID: caller.GrantID, ServiceAccount: caller.ServiceAccount(),
				Read: caller.Has(scope.AccountRead), Write: caller.Has(scope.AccountWrite),
			}, err
		},
		User: func(r *http.Request, id string) (storage.User, error) {
			user, err := p.Store.FindUser(r.Context(), id)
			if err == nil && user.Disabled {
				err = fault.New(fault.NotFound, "", "The user is disabled.")
			}
			return user, err
		},
		Now:     p.Ambient.Now,
		Protect: websession.Protect(adminapi.WriteError),
	})
}
