package provider

import (
	"slices"

	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// codeGrant redeems the code that a person's authorize request led to.
var codeGrant = grantType{
	name:     "authorization_code",
	mayUse:   signsPeopleIn,
	required: []string{"code"},
	strictly: []string{"redirect_uri"},
	handlers: func(t tools) []tokenHandler {
		return []tokenHandler{&pkceHandler{store: t.store}, t.code, t.codeOpenID} // the verifier before the code is looked at
	},
}

func signsPeopleIn(c storage.Client) bool {
	return slices.Contains(clientprofile.ResponseTypes(c), clientprofile.ResponseCode)
}
