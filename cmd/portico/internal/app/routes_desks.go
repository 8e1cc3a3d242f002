package app

import "net/http"

// pair is a page and the form on it.
func pair(show, submit http.Handler) methods {
	return methods{"GET": {Handler: show}, "POST": {Handler: submit}}
}

// shown is where forms show once what they made.
func (a *App) shown() http.Handler {
	d := a.parts.desks
	return shownPage(d.sessions.Gate(d.web.Error), a.parts.pages, d.web)
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
		{template: app + "/logo", methods: pair(p.Logo())},
		{template: app + "/logo/delete", methods: post(p.DeleteLogo())},
		{template: app + "/secrets", methods: pair(p.AddSecret())},
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

// account is where people see what is theirs.
func (a *App) account() []route {
	p := a.parts.desks.accounts
	return []route{
		{template: "/account/apps", methods: get(p.Apps())},
		{template: "/account/apps/{connectedId}/withdraw", methods: pair(p.Withdraw())},
	}
}

// desk is where administrators see and change everything.
func (a *App) desk() []route {
	p, c, s := a.parts.desks.people, a.parts.desks.apps, a.parts.desks.system
	const user, group, app = "/admin/users/{userId}", "/admin/groups/{groupId}", "/admin/apps/{clientId}"
	return []route{
		{template: "/admin/users", methods: get(p.Users())},
		{template: "/admin/users/new", methods: pair(p.Create())},
		{template: user, methods: get(p.User())},
		{template: user + "/edit", methods: pair(p.Edit())},
		{template: user + "/delete", methods: pair(p.Delete())},
		{template: user + "/reset", methods: post(p.Reset())},
		{template: user + "/end-sessions", methods: post(p.EndSessions())},
		{template: user + "/promote", methods: post(p.Promote())},
		{template: user + "/demote", methods: post(p.Demote())},
		{template: user + "/disable", methods: post(p.Disable())},
		{template: user + "/enable", methods: post(p.Enable())},
		{template: "/admin/groups", methods: pair(p.Groups())},
		{template: group, methods: pair(p.Group())},
		{template: group + "/delete", methods: pair(p.DeleteGroup())},
		{template: group + "/members", methods: post(p.AddMember())},
		{template: group + "/members/{userId}/remove", methods: post(p.RemoveMember())},
		{template: "/admin/apps", methods: get(c.List())},
		{template: app, methods: pair(c.App())},
		{template: app + "/hubs", methods: post(c.Provision())},
		{template: app + "/hubs/{hubId}/withdraw", methods: pair(c.Withdraw())},
		{template: app + "/members", methods: post(c.AddMember())},
		{template: app + "/guides/{guide}", methods: get(c.Guide())},
		{template: app + "/disable", methods: post(c.Disable())},
		{template: app + "/enable", methods: post(c.Enable())},
		{template: app + "/delete", methods: pair(c.Delete())},
		{template: "/admin/hubs", methods: get(c.Hubs())},
		{template: "/admin/audit", methods: get(p.Audit())},
		{template: "/admin/audit/{eventId}", methods: get(p.Event())},
		{template: "/admin/audit.csv", methods: get(p.ExportCSV())},
		{template: "/admin/audit.ndjson", methods: get(p.ExportNDJSON())},
		{template: "/admin/keys", methods: get(s.Keys())},
		{template: "/admin/keys/rotate", methods: pair(s.Rotate())},
		{template: "/admin/limits", methods: get(s.Limits())},
		{template: "/admin/system", methods: get(s.System())},
		{template: "/setup", methods: pair(p.SetUp())},
		{template: "/password", methods: pair(p.Password())},
		{template: "/shown/{form}", methods: get(a.shown())},
	}
}
