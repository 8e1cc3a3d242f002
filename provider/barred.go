package provider

import (
	"net/http"

	"github.com/portico-id/portico/templates"
)

// barredPage tells the person that the client is not for them, before they are
// asked for anything. On from there they go as somebody else, or back to the
// client, which is told as after any refusal.
func (p *Provider) barredPage(w http.ResponseWriter, r *http.Request, c consenting, action, switchURL string) error {
	page := templates.BarredPage{
		Frame: c.request.frame(r), ClientName: c.request.client.Name, Account: c.session.User.Email,
		SwitchURL: switchURL, Action: action, Fields: p.shown(c, nil, nil),
	}
	return p.page(w, r, http.StatusForbidden, templates.PolicyInteractive, func() error { return p.pages.Barred(w, page) })
}
