package provider

import (
	"github.com/ory/fosite/handler/oauth2"
	"github.com/ory/fosite/handler/openid"
)

// refreshGrant goes on with what a person granted. Its scope is judged against
// the grant where that is read, in grant_store.go.
var refreshGrant = grantType{
	name:     "refresh_token",
	mayUse:   signsPeopleIn,
	required: []string{"refresh_token"},
	handlers: func(t tools) []tokenHandler {
		return []tokenHandler{
			&oauth2.RefreshTokenGrantHandler{
				AccessTokenStrategy:    t.strategy,
				RefreshTokenStrategy:   t.strategy,
				TokenRevocationStorage: t.store,
				Config:                 t.config,
			},
			&openid.OpenIDConnectRefreshHandler{IDTokenHandleHelper: t.idTokens, Config: t.config},
		}
	},
}
