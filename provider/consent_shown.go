package provider

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/templates"
)

// What a person allows is what the page showed them, and what they leave out is
// what it offered to leave out, whatever has become of the client's registration
// since: the form brings the scopes back under a seal that binds them to the
// request and to the session.

const shownLabel = "consent-page"

// fieldScope, with a scope after it, is "on" for one that could be left out and was
// not.
const fieldScope = "scope."

// sealed is what the seal is over.
func sealed(c consenting, shown, optional string) [][]byte {
	return [][]byte{[]byte(c.parked.ID), []byte(c.session.ID), []byte(shown), []byte(optional)}
}

// shown returns the fields that carry the scopes through the form.
func (p *Provider) shown(c consenting, scopes, optional []string) []templates.Field {
	list, may := scope.Format(scopes), scope.Format(optional)
	return []templates.Field{
		{Name: "shown", Value: list},
		{Name: "optional", Value: may},
		{Name: "seal", Value: base64.RawURLEncoding.EncodeToString(p.ring.MAC(shownLabel, sealed(c, list, may)...))},
	}
}

// readShown returns the scopes that the form's page showed: those that the person
// allows, and those that they leave out. Whoever leaves out all of them allows
// nothing.
func (p *Provider) readShown(c consenting, form url.Values) (allowed, leftOut []string, err error) {
	list, may := form.Get("shown"), form.Get("optional")
	seal, err := sealing.Decode(form.Get("seal"))
	if err != nil || !p.ring.CheckMAC(shownLabel, seal, sealed(c, list, may)...) {
		return nil, nil, fault.New(fault.Invalid, "invalid_request",
			"This is not the form that you were shown. Go back and open it again.")
	}
	leftOut = slices.DeleteFunc(strings.Fields(may), func(one string) bool { return form.Get(fieldScope+one) == "on" })
	return without(strings.Fields(list), leftOut), leftOut, nil
}
