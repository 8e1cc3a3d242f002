package provider

import (
	"slices"

	"github.com/ory/fosite/handler/oauth2"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// clientCredentialsGrant gives a client a two-legged token, for itself.
var clientCredentialsGrant = grantType{
	name: "client_credentials",
	mayUse: func(c storage.Client) bool {
		return c.Origin == "" && (c.Type == storage.ClientWeb || c.Type == storage.ClientService)
	},
	alone:  true,
	scopes: applicationScopes,
	handlers: func(t tools) []tokenHandler {
		return []tokenHandler{&oauth2.ClientCredentialsGrantHandler{
			HandleHelper: &oauth2.HandleHelper{AccessTokenStrategy: t.strategy, AccessTokenStorage: t.store, Config: t.config},
			Config:       t.config,
		}}
	},
}

// applicationScopes returns what a two-legged token may do: what was asked for, or
// what the resource or the client has by default, or everything that the client may ask
// for and that makes sense without a user (decision T6).
func applicationScopes(c *client, target resources.Target, asked []string) ([]string, error) {
	may := target.MayAsk(c.Scopes)
	if len(asked) == 0 {
		asked = slices.DeleteFunc(target.Default(c.DefaultScopes), scope.NeedsUser)
	}
	if len(asked) == 0 {
		return slices.DeleteFunc(slices.Clone(may), scope.NeedsUser), nil
	}
	if i := slices.IndexFunc(asked, scope.NeedsUser); i >= 0 {
		return nil, fault.Newf(fault.Invalid, "invalid_scope",
			"The scope %s needs a user; use the authorization code flow for it.", asked[i])
	}
	return c.profile.FilterScopes(asked, may)
}
