package provider

import (
	"net/http"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
)

// Paths below the base URL.
const (
	authorizePath  = "/authentication/v2/authorize"
	ResumePath     = "/authentication/v2/authorize/resume"
	TokenPath      = "/authentication/v2/token"
	revokePath     = "/authentication/v2/revoke"
	introspectPath = "/authentication/v2/introspect"
	pushPath       = "/authentication/v2/par"
	deviceCallPath = "/authentication/v2/device_authorization"
	keysPath       = "/authentication/v2/keys"
	logoutPath     = "/authentication/v2/logout"
	userInfoPath   = "/userinfo"
	discoveryPath  = "/.well-known/openid-configuration"
	metadataPath   = "/.well-known/oauth-authorization-server"

	loginPath   = "/login"
	codePath    = "/login/code"
	passkeyPath = "/login/passkey"
	enrolPath   = "/login/enrol"
	consentPath = "/consent"
	signOutPath = "/signout"

	devicePath        = "/device"
	deviceConfirmPath = devicePath + "/confirm"
)

// Protocol is OAuth 2.0 and OpenID Connect (S1 4.1).
func (p *Provider) Protocol() []httpio.Route {
	const apps, all = httpio.RegisteredSites, httpio.AnySite
	authorize, logout := httpio.Open(p.writePageError, p.authorize), httpio.Open(p.writePageError, p.logout)
	userInfo, metadata := httpio.Open(p.writeBearerError, p.userInfo), httpio.Open(p.writeClientError, p.showMetadata)
	return []httpio.Route{
		httpio.At(TokenPath).For(apps).Post(httpio.Open(p.writeTokenError, p.token)),
		httpio.At(pushPath).For(apps).Post(httpio.Open(p.writeClientError, p.push)),
		httpio.At(authorizePath).Get(authorize).Post(authorize),
		httpio.At(ResumePath).Get(httpio.Open(p.writePageError, p.resume)),
		httpio.At(revokePath).For(apps).Post(httpio.Open(p.writeClientError, p.revoke)),
		httpio.At(introspectPath).Post(httpio.Open(p.writeClientError, p.introspect)),
		httpio.At(keysPath).For(all).Get(httpio.Open(p.writeClientError, p.showKeys)),
		httpio.At(logoutPath).Get(logout).Post(logout),
		httpio.At(userInfoPath).For(apps).Get(userInfo).Post(userInfo),
		httpio.At(discoveryPath).For(all).Get(metadata),
		httpio.At(metadataPath).For(all).Get(metadata),
	}
}

// PageRoutes are the pages of a sign-in.
func (p *Provider) PageRoutes() []httpio.Route {
	show := func(fn httpio.Handler) httpio.Endpoint { return httpio.Open(p.writePageError, fn) }
	return []httpio.Route{
		httpio.At("/").Get(show(p.home)),
		httpio.At("/account").Get(show(leadsTo("/"))), // whose pages lie below them
		httpio.At("/admin").Get(show(leadsTo("/admin/users"))),
		httpio.At(loginPath).Get(show(p.showLogin)).Post(p.ownForm(p.submitLogin)),
		httpio.At(codePath).Get(show(p.second().showCode)).Post(p.ownForm(p.second().submitCode)),
		httpio.At(enrolPath).Get(show(p.second().showEnrol)).Post(p.ownForm(p.second().submitEnrol)),
		httpio.At(passkeyPath).Get(show(p.showLogin)).Post(p.ownForm(p.second().submitPasskey)),
		httpio.At(consentPath).Get(show(p.showConsent)).Post(p.ownForm(p.submitConsent)),
		httpio.At(signOutPath).Post(p.ownForm(p.signOut)),
	}
}

// leadsTo is the handler of an address that has no page of its own.
func leadsTo(page string) httpio.Handler {
	return func(w http.ResponseWriter, r *http.Request) error { return webpage.See(w, r, page) }
}
