package moving

import "slices"

// usualScopes are those of every realm. What they stand for apps have here, or have no need of.
var usualScopes = []string{"openid", "profile", "email", "address", "phone", "groups", "offline_access", "web-origins",
	"acr", "basic", "roles", "microprofile-jwt", "organization", "service_account"}

// noteTaught tells of claims and scopes that Keycloak was taught for the client: it may
// count on them.
func (k *keycloakRealm) noteTaught(c keycloakClient) {
	for _, mapper := range c.Mappers {
		if mapper.ProtocolMapper != "oidc-usersessionmodel-note-mapper" { // of each service account
			k.taught = append(k.taught, "the claims of the client "+c.ClientID+" ("+mapper.Name+")")
		}
	}
	for _, name := range slices.Concat(c.DefaultScopes, c.OptionalScopes) {
		if !slices.Contains(usualScopes, name) {
			k.taught = append(k.taught, "the scope "+name+" of the client "+c.ClientID)
		}
	}
}
