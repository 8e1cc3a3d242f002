package provider

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/templates"
)

// barred reports whether the client is for others than the person. Whoever is told
// so learns nothing of who they are.
func (p *Provider) barred(ctx context.Context, c *client, userID string) (bool, error) {
	if !c.Restricted {
		return false, nil
	}
	may, err := p.store.MayUseClient(ctx, c.ID, userID)
	return !may, err
}

// barredPage tells the person that the client is not for them, before they are
// asked for anything. On from there they go as somebody else, or back to the
// client, which is told as after any refusal.
func (p *Provider) barredPage(w http.ResponseWriter, r *http.Request, c consenting) error {
	page := templates.BarredPage{
		Frame: c.request.frame(r), ClientName: c.request.client.Name, Account: c.session.User.Email,
		SwitchURL: pageURL(loginPath, c.parked.ID), Action: pageURL(consentPath, c.parked.ID), Fields: p.shown(c, nil),
	}
	return p.page(w, r, http.StatusForbidden, templates.PolicyInteractive, func() error { return p.pages.Barred(w, page) })
}
