package apps

import (
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// tryKey is what a script has to know to try an app out by the app's own key, which
// only the person has; nil for apps that prove themselves otherwise. What comes back
// from authorize is left to the script.
func (p *Portal) tryKey(c storage.Client, userID string) (*templates.TryKey, error) {
	if c.AuthMethod != storage.AuthPrivateKey || c.LegacyAudience {
		return nil, nil
	}
	key := &templates.TryKey{ClientID: c.ID, Issuer: p.with.BaseURL, Service: c.Type == storage.ClientService,
		Signed: c.RequireSigned || clientprofile.Of(c).SignedOnly(),
		Results: []templates.TryResult{
			{ID: "id_token", Label: texts.Say("app.try-id-token")},
			{ID: "access_token", Label: texts.Say("app.try-access-token")},
			{ID: "userinfo", Label: texts.Say("app.try-userinfo")},
			{ID: "answer", Label: texts.Say("app.try-answer")},
		}}
	if key.Service {
		return key, nil
	}
	ticket, callback, err := p.with.Tickets.issue(c.ID, userID, true)
	key.State, key.RedirectURI = ticket.State, callback
	return key, err
}
