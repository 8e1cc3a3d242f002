package moving

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// keycloakClient is an application of a realm export.
type keycloakClient struct {
	ClientID       string
	Name           string
	Enabled        bool
	Protocol       string
	Secret         string
	RootURL        string
	BaseURL        string
	RedirectURIs   []string
	WebOrigins     []string
	PublicClient   bool
	BearerOnly     bool
	Consent        bool   `json:"consentRequired"`
	StandardFlow   bool   `json:"standardFlowEnabled"`
	ServiceAccount bool   `json:"serviceAccountsEnabled"`
	DirectAccess   bool   `json:"directAccessGrantsEnabled"`
	Authenticator  string `json:"clientAuthenticatorType"`
	Attributes     map[string]string
	DefaultScopes  []string                                `json:"defaultClientScopes"`
	OptionalScopes []string                                `json:"optionalClientScopes"`
	Mappers        []struct{ Name, ProtocolMapper string } `json:"protocolMappers"`
}

// builtIn are the clients that Keycloak makes for itself in each realm.
var builtIn = []string{"account", "account-console", "admin-cli", "broker", "realm-management",
	"security-admin-console", "master-realm"}

// demands are what a client has to do there, by the attributes that say so: without a word
// of it everything would be laxer here.
var demands = map[string]string{
	"require.pushed.authorization.requests":      "pushed requests",
	"request.object.required":                    "signed requests",
	"dpop.bound.access.tokens":                   "tokens bound to a key",
	"tls.client.certificate.bound.access.tokens": "tokens bound to a certificate",
}

func (k *keycloakRealm) client(c keycloakClient) {
	switch {
	case slices.Contains(builtIn, c.ClientID) || c.Attributes["realm_client"] == "true":
		return
	case c.Protocol != "" && c.Protocol != "openid-connect":
		k.elsewhere = append(k.elsewhere, "the client "+c.ClientID+" ("+c.Protocol+")")
		return
	case c.BearerOnly:
		k.elsewhere = append(k.elsewhere, "the client "+c.ClientID+" (only takes tokens, and needs no registration)")
		return
	}
	if c.DirectAccess {
		k.asked = append(k.asked, c.ClientID)
	}
	for attribute, what := range demands {
		if value := c.Attributes[attribute]; value != "" && value != "false" && value != "not required" {
			k.elsewhere = append(k.elsewhere, what+" (the client "+c.ClientID+")")
		}
	}
	k.noteTaught(c)
	redirects := k.out.listed(c.ClientID, c.absolute(c.RedirectURIs))
	client := &Client{ID: c.ClientID, Name: c.name(), Disabled: !c.Enabled, FirstParty: !c.Consent,
		RequirePKCE: c.Attributes["pkce.code.challenge.method"] == "S256",
		HomeURI:     c.home(), Scopes: scopesOf(append(c.DefaultScopes, c.OptionalScopes...)),
		BackchannelLogoutURI: c.Attributes["backchannel.logout.url"], RedirectURIs: redirects,
		LogoURI: c.Attributes["logoUri"], PolicyURI: c.Attributes["policyUri"], TermsURI: c.Attributes["tosUri"],
	}
	client.Origins = k.origins(c, redirects)
	for _, after := range strings.Split(cmp.Or(c.Attributes["post.logout.redirect.uris"], "+"), "##") {
		switch after = strings.TrimSpace(after); after {
		case "+":
			client.PostLogoutRedirectURIs = append(client.PostLogoutRedirectURIs, redirects...)
		case "", "-":
		default:
			client.PostLogoutRedirectURIs = append(client.PostLogoutRedirectURIs,
				k.out.listed(c.ClientID, c.absolute([]string{after}))...)
		}
	}
	switch {
	case c.PublicClient:
		client.Type = publicType(redirects, client.Origins)
	case c.StandardFlow:
		client.Type = "web"
	default:
		*client = Client{ID: client.ID, Name: client.Name, Type: "service", Disabled: client.Disabled, Scopes: []string{}}
	}
	if !c.PublicClient {
		k.secret(c, client)
	}
	client.Devices = c.Attributes["oauth2.device.authorization.grant.enabled"] == "true" && client.Type != "spa"
	k.out.put(Entry{Client: client})
}

// name is what people call the client; Keycloak has placeholders for names of its own.
func (c keycloakClient) name() string {
	if strings.HasPrefix(c.Name, "${") {
		return ""
	}
	return strings.TrimSpace(c.Name)
}

// secret brings what the client proves itself by. What an export leaves out it has as
// stars.
func (k *keycloakRealm) secret(c keycloakClient, client *Client) {
	switch c.Authenticator {
	case "client-jwt":
		client.KeysURI = c.Attributes["jwks.url"]
		if client.KeysURI == "" {
			k.elsewhere = append(k.elsewhere, "the keys of the client "+c.ClientID)
		}
		return
	case "", "client-secret":
	default:
		k.elsewhere = append(k.elsewhere, "how the client "+c.ClientID+" proves itself ("+c.Authenticator+")")
		if c.Authenticator != "client-secret-jwt" {
			return // its secret opens nothing there
		}
	}
	if strings.Trim(c.Secret, "*") != "" {
		client.Secrets = []string{c.Secret}
	}
}

// absolute returns addresses whole that are told from the root of the client.
func (c keycloakClient) absolute(uris []string) (all []string) {
	for _, uri := range uris {
		if strings.HasPrefix(uri, "/") {
			uri = strings.TrimSuffix(c.RootURL, "/") + uri
		}
		all = append(all, uri)
	}
	return all
}

// home is where people open the client: an address on the web.
func (c keycloakClient) home() string {
	base := cmp.Or(c.BaseURL, c.RootURL)
	home := c.absolute([]string{base})[0]
	if !strings.HasPrefix(home, "https://") || strings.ContainsAny(home, "*$") {
		return ""
	}
	return home
}

// origins returns the origins of browsers that may read answers; "+" stands for those
// of the redirect URIs.
func (k *keycloakRealm) origins(c keycloakClient, redirects []string) (origins []string) {
	for _, origin := range c.WebOrigins {
		switch origin {
		case "", "/*":
		case "+":
			for _, uri := range redirects {
				if u, err := url.Parse(uri); err == nil && strings.HasPrefix(u.Scheme, "http") {
					origins = append(origins, u.Scheme+"://"+u.Host)
				}
			}
		case "*":
			k.out.note("Any website may read answers to the client %s: name those that must.", c.ClientID)
		default:
			origins = append(origins, strings.TrimSuffix(origin, "/"))
		}
	}
	slices.Sort(origins)
	return slices.Compact(origins)
}
