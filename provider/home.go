package provider

import (
	"net/http"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/templates"
)

// Home serves the page of a signed-in person; everybody else is asked to sign
// in.
func (p *Provider) Home() http.Handler { return httpio.Handle(p.writePageError, p.home) }

func (p *Provider) home(w http.ResponseWriter, r *http.Request) error {
	session, signedIn, err := p.sessions.Find(r)
	if err != nil {
		return err
	}
	if !signedIn {
		redirect(w, r, loginPath)
		return nil
	}
	page := templates.HomePage{
		Name: session.User.Profile.Name, Email: session.User.Email, Admin: session.User.Admin,
		DiscoveryURL:  p.issuer + "/.well-known/openid-configuration",
		SignOutAction: signOutPath,
	}
	return p.page(w, r, http.StatusOK, templates.PolicyOwn, func() error { return p.pages.Home(w, page) })
}
