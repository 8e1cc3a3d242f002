package app

import "net/http"

// pair is a page and the form on it.
func pair(show, submit http.Handler) methods {
	return methods{"GET": {handler: show}, "POST": {handler: submit}}
}

// portal is where developers register their apps.
func (a *App) portal() []route {
	p, m := a.parts.desks.portal, a.parts.desks.machines
	const app, account = "/apps/{clientId}", "/apps/{clientId}/service-accounts/{serviceAccountId}"
	return []route{
		{template: "/apps", methods: get(p.List())},
		{template: "/apps/new", methods: pair(p.Create())},
		{template: "/apps/try/callback", methods: get(p.TryCallback())},
		{template: app, methods: get(p.Show())},
		{template: app + "/edit", methods: pair(p.Edit())},
		{template: app + "/delete", methods: pair(p.Delete())},
		{template: app + "/secrets", methods: post(p.AddSecret())},
		{template: app + "/secrets/{secretId}/delete", methods: pair(p.DeleteSecret())},
		{template: app + "/members", methods: post(p.AddMember())},
		{template: app + "/members/{userId}/remove", methods: post(p.RemoveMember())},
		{template: app + "/guides/{guide}", methods: get(p.Guide())},
		{template: app + "/try", methods: pair(p.Try())},
		{template: app + "/service-accounts", methods: post(m.Create())},
		{template: account + "/status", methods: post(m.SetStatus())},
		{template: account + "/delete", methods: pair(m.Delete())},
		{template: account + "/keys", methods: post(m.CreateKey())},
		{template: account + "/keys/{keyId}/status", methods: post(m.SetKeyStatus())},
		{template: account + "/keys/{keyId}/delete", methods: pair(m.DeleteKey())},
	}
}
