package app

import (
	"net/http"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/provider/scope"
)

// dataAdminAPI is what programs of administrators of hubs and projects call.
func (a *App) dataAdminAPI() []route {
	d := a.parts.desks.dataAPI
	const hub, project = "/hubs/{hubId}", "/projects/{projectId}"
	const hooks, hook = project + "/webhooks", project + "/webhooks/{webhookId}"
	const group, folder = hub + "/groups/{groupId}", project + "/folders/{folderId}"
	routes := []route{
		{template: "/hubs", methods: methods{"GET": reads(d.ListHubs()), "POST": writes(d.CreateHub())}},
		{template: hub, methods: methods{"GET": reads(d.ShowHub()), "PATCH": writes(d.ChangeHub())}},
		{template: hub + "/groups", methods: methods{"GET": reads(d.ListGroups()), "POST": writes(d.CreateGroup())}},
		{template: group, methods: methods{"GET": reads(d.ShowGroup()), "PATCH": writes(d.ChangeGroup()), "DELETE": writes(d.DeleteGroup())}},
		{template: group + "/members", methods: methods{"GET": reads(d.ListGroupMembers())}},
		{template: group + "/members/{userId}", methods: methods{"PUT": writes(d.PutGroupMember()), "DELETE": writes(d.RemoveGroupMember())}},
		{template: hub + "/apps", methods: methods{"GET": reads(d.ListApps())}},
		{template: hub + "/apps/{clientId}", methods: methods{"GET": reads(d.ShowApp()), "PUT": writes(d.PutApp()), "DELETE": writes(d.RemoveApp())}},
		{template: hub + "/projects", methods: methods{"GET": reads(d.ListProjects()), "POST": writes(d.CreateProject())}},
		{template: hub + "/events", methods: methods{"GET": reads(d.ListHubEvents())}},
		{template: project + "/events", methods: methods{"GET": reads(d.ListProjectEvents())}},
		{template: project, methods: methods{"GET": reads(d.ShowProject()), "PATCH": writes(d.ChangeProject())}},
		{template: project + "/purge", methods: methods{"POST": writes(d.PurgeProject())}},
		{template: project + "/reservations", methods: methods{"GET": reads(d.ListReservations())}},
		{template: project + "/reservations/{itemId}", methods: methods{"DELETE": writes(d.BreakReservation())}},
		{template: hooks, methods: methods{"GET": reads(d.ListWebhooks()), "POST": writes(d.CreateWebhook())}},
		{template: hook, methods: methods{"GET": reads(d.ShowWebhook()), "DELETE": writes(d.DeleteWebhook())}},
		{template: hook + "/deliveries", methods: methods{"GET": reads(d.ListDeliveries())}},
		{template: hook + "/deliveries/{deliveryId}/redeliver", methods: methods{"POST": writes(d.Redeliver())}},
		{template: folder + "/effective", methods: methods{"GET": reads(d.ShowEffective())}},
		{template: folder + "/grants", methods: methods{"GET": reads(d.ListGrants())}},
		grants(folder+"/grants/users/{userId}", d.UserGrants()),
		grants(folder+"/grants/groups/{groupId}", d.GroupGrants()),
	}
	routes = append(routes, members(hub+"/members", d.HubMembers())...)
	return append(routes, members(project+"/members", d.ProjectMembers())...)
}

func grants(template string, g administration.Grants) route {
	return route{template: template, methods: methods{"GET": reads(g.Show()), "PUT": writes(g.Put()), "DELETE": writes(g.Remove())}}
}

func members(template string, m administration.Members) []route {
	return []route{
		{template: template, methods: methods{"GET": reads(m.List()), "POST": writes(m.Add())}},
		{template: template + "/{userId}", methods: methods{"GET": reads(m.Show()), "PUT": writes(m.Put()), "DELETE": writes(m.Remove())}},
	}
}

func reads(h http.Handler) endpoint  { return endpoint{h, scope.AccountRead} }
func writes(h http.Handler) endpoint { return endpoint{h, scope.AccountWrite} }
