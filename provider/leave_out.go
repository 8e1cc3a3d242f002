package provider

import (
	"encoding/json"
	"slices"

	"github.com/portico-id/portico/provider/scope"
)

// optional returns those of the scopes that people may leave out, as the client is
// registered.
func (c *client) optional(scopes []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes),
		func(one string) bool { return !scope.Registered(c.OptionalScopes, one) })
}

// leaveOut takes out of the request what the person has left out of what the client
// asks for, as far as it is still theirs to leave out. Where nothing would be left
// it all stays, and they are asked again.
func (a *authorizeRequest) leaveOut(scopes []string) error {
	out := a.client.optional(scopes)
	left := without(a.scopes, out)
	if len(out) == 0 || len(left) == 0 {
		return nil
	}
	a.scopes = left
	return a.claimOnly(without(a.client.Scopes, out))
}

func without(scopes, out []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(one string) bool { return slices.Contains(out, one) })
}

// claimOnly keeps of the claims parameter what the scopes cover; the rest is left
// out like an unknown claim.
func (a *authorizeRequest) claimOnly(scopes []string) error {
	wanted, err := parseClaims(a.params.Get("claims"))
	if err != nil {
		return err
	}
	for _, names := range wanted {
		for name := range names {
			if s, ok := claimScopes[name]; !ok || !slices.Contains(scopes, s) {
				delete(names, name)
			}
		}
	}
	a.claims, a.claimScopes = "", scopesOfClaims(wanted)
	if len(a.claimScopes) == 0 {
		return nil
	}
	text, err := json.Marshal(wanted)
	a.claims = string(text)
	return err
}
