package provider

import (
	"net/http"

	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/portrait"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// homePicture is the side of a person's picture on their home page, in pixels.
const homePicture = 160

// home serves the page of a signed-in person; everybody else is asked to sign
// in.
func (p *Provider) home(w http.ResponseWriter, r *http.Request) error {
	session, signedIn, err := p.sessions.Find(r)
	if err != nil {
		return err
	}
	if !signedIn {
		return p.firstPage(w, r)
	}
	page := templates.HomePage{
		Frame:      webpage.Frame(r),
		PictureURL: portrait.Path(session.User.Portrait, homePicture),
		Name:       session.User.Profile.Name, Email: session.User.Email, Admin: session.User.Admin,
		DiscoveryURL:  p.issuer + "/.well-known/openid-configuration",
		SignOutAction: signOutPath, InviteURL: p.help.InviteURL, Demo: p.demo,
	}
	return p.page(w, r, http.StatusOK, templates.PolicyOwn, func() error { return p.pages.Home(w, page) })
}

// firstPage asks a stranger to sign in. On a server without people, where nobody
// could, it says where the link is by which somebody begins.
func (p *Provider) firstPage(w http.ResponseWriter, r *http.Request) error {
	people, err := p.store.ListUsers(r.Context(), storage.UserFilter{}, storage.PageRequest{Limit: 1})
	if err != nil {
		return err
	}
	if people.Total > 0 {
		redirect(w, r, loginPath)
		return nil
	}
	page := templates.MessagePage{
		Frame:   webpage.Frame(r),
		Heading: texts.Say("sign-in.nobody.heading"),
		Text:    texts.Say("sign-in.nobody.text"),
	}
	return p.page(w, r, http.StatusOK, templates.PolicyOwn, func() error { return p.pages.Message(w, page) })
}
