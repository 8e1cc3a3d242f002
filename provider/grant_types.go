package provider

import (
	"slices"

	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// grantTypes are the grants there are; what the server says of itself, what
// clients may do and what the token endpoint takes follow from them.
var grantTypes = []grantType{codeGrant, refreshGrant, clientCredentialsGrant, implicitGrant, assertionGrant,
	deviceGrant, exchangeGrant}

// implicitGrant stands for ID tokens through the browser, never for access
// tokens.
var implicitGrant = grantType{name: "implicit", mayUse: func(c storage.Client) bool {
	return slices.Contains(clientprofile.ResponseTypes(c), clientprofile.ResponseIDToken)
}}

// GrantTypes returns the grants that the client's registration gives it
// (decision C1).
func GrantTypes(client storage.Client) []string {
	var names []string
	for _, g := range grantTypes {
		if g.mayUse(client) {
			names = append(names, g.name)
		}
	}
	return names
}
