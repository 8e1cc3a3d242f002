package app

import (
	"net/http"

	"github.com/portico-id/portico/internal/middleware"
)

// route is one path of the API with everything that is decided by path.
type route struct {
	template string  // as gorilla/mux reads it; variables stay percent-encoded
	methods  methods // what it answers; HEAD comes with GET, OPTIONS always
	rate     string  // class of the rate limit (T12); empty: none
	cors     middleware.CORSPolicy
}

type methods map[string]http.Handler

// routes is the whole API on one page, each template once.
func (a *App) routes() []route {
	p := a.parts.provider
	showLogin, submitLogin := p.Login()
	showConsent, submitConsent := p.Consent()
	const registered, anyone = middleware.RegisteredCORS, middleware.AnyCORS
	return []route{
		{template: "/", methods: methods{"GET": p.Home()}},
		{template: "/login", methods: methods{"GET": showLogin, "POST": submitLogin}},
		{template: "/consent", methods: methods{"GET": showConsent, "POST": submitConsent}},
		{template: "/signout", methods: methods{"POST": p.SignOut()}},

		{template: "/authentication/v2/authorize", rate: "authorize", methods: both(p.Authorize())},
		{template: "/authentication/v2/authorize/resume", methods: methods{"GET": p.Resume()}},
		{template: "/authentication/v2/token", rate: "token", cors: registered, methods: methods{"POST": p.Token()}},
		{template: "/authentication/v2/revoke", rate: "revoke", cors: registered, methods: methods{"POST": p.Revoke()}},
		{template: "/authentication/v2/introspect", rate: "introspect", methods: methods{"POST": p.Introspect()}},
		{template: "/authentication/v2/keys", cors: anyone, methods: methods{"GET": p.Keys()}},
		{template: "/authentication/v2/logout", rate: "logout", methods: both(p.Logout())},
		{template: "/userinfo", cors: registered, methods: both(p.UserInfo())},
		{template: "/.well-known/openid-configuration", cors: anyone, methods: methods{"GET": p.Discovery()}},
		{template: "/.well-known/oauth-authorization-server", cors: anyone, methods: methods{"GET": p.Discovery()}},

		{template: "/assets/{name}", methods: methods{"GET": a.assets()}},
		{template: "/healthz", methods: methods{"GET": http.HandlerFunc(a.healthy)}},
		{template: "/readyz", methods: methods{"GET": http.HandlerFunc(a.ready)}},
	}
}

func both(h http.Handler) methods { return methods{"GET": h, "POST": h} }
