package provider

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/templates"
)

// What a person allows is what the page showed them, whatever has become of
// the client's registration since: the form brings the scopes back under a
// seal that binds them to the request and to the session.

const shownLabel = "consent-page"

// shown returns the fields that carry the scopes through the form.
func (p *Provider) shown(c consenting, scopes []string) []templates.Field {
	list := scope.Format(scopes)
	seal := p.ring.MAC(shownLabel, []byte(c.parked.ID), []byte(c.session.ID), []byte(list))
	return []templates.Field{
		{Name: "shown", Value: list},
		{Name: "seal", Value: base64.RawURLEncoding.EncodeToString(seal)},
	}
}

// readShown returns the scopes that the form's page showed.
func (p *Provider) readShown(c consenting, form url.Values) ([]string, error) {
	list := form.Get("shown")
	seal, err := sealing.Decode(form.Get("seal"))
	if err != nil || !p.ring.CheckMAC(shownLabel, seal, []byte(c.parked.ID), []byte(c.session.ID), []byte(list)) {
		return nil, fault.New(fault.Invalid, "invalid_request", "This is not the form that you were shown. Go back and open it again.")
	}
	return strings.Fields(list), nil
}
