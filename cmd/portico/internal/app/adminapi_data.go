package app

import (
	"github.com/portico-id/portico/dataapi/administration"
)

// dataAdminAPI is what programs of administrators of hubs and projects call.
func (a *App) dataAdminAPI() []route {
	d := a.parts.desks.dataAPI
	const hub, project = "/hubs/{hubId}", "/projects/{projectId}"
	const hooks, hook = project + "/webhooks", project + "/webhooks/{webhookId}"
	const group, folder = hub + "/groups/{groupId}", project + "/folders/{folderId}"
	routes := []route{
		{template: "/hubs", methods: methods{"GET": d.ListHubs(), "POST": d.CreateHub()}},
		{template: hub, methods: methods{"GET": d.ShowHub(), "PATCH": d.ChangeHub()}},
		{template: hub + "/groups", methods: methods{"GET": d.ListGroups(), "POST": d.CreateGroup()}},
		{template: group, methods: methods{"GET": d.ShowGroup(), "PATCH": d.ChangeGroup(), "DELETE": d.DeleteGroup()}},
		{template: group + "/members", methods: methods{"GET": d.ListGroupMembers()}},
		{template: group + "/members/{userId}", methods: methods{"PUT": d.PutGroupMember(), "DELETE": d.RemoveGroupMember()}},
		{template: hub + "/apps", methods: methods{"GET": d.ListApps()}},
		{template: hub + "/apps/{clientId}", methods: methods{"GET": d.ShowApp(), "PUT": d.PutApp(), "DELETE": d.RemoveApp()}},
		{template: hub + "/projects", methods: methods{"GET": d.ListProjects(), "POST": d.CreateProject()}},
		{template: hub + "/events", methods: methods{"GET": d.ListHubEvents()}},
		{template: project + "/events", methods: methods{"GET": d.ListProjectEvents()}},
		{template: project, methods: methods{"GET": d.ShowProject(), "PATCH": d.ChangeProject()}},
		{template: project + "/purge", methods: methods{"POST": d.PurgeProject()}},
		{template: project + "/reservations", methods: methods{"GET": d.ListReservations()}},
		{template: project + "/reservations/{itemId}", methods: methods{"DELETE": d.BreakReservation()}},
		{template: hooks, methods: methods{"GET": d.ListWebhooks(), "POST": d.CreateWebhook()}},
		{template: hook, methods: methods{"GET": d.ShowWebhook(), "DELETE": d.DeleteWebhook()}},
		{template: hook + "/deliveries", methods: methods{"GET": d.ListDeliveries()}},
		{template: hook + "/deliveries/{deliveryId}/redeliver", methods: methods{"POST": d.Redeliver()}},
		{template: folder + "/effective", methods: methods{"GET": d.ShowEffective()}},
		{template: folder + "/grants", methods: methods{"GET": d.ListGrants()}},
		grants(folder+"/grants/users/{userId}", d.UserGrants()),
		grants(folder+"/grants/groups/{groupId}", d.GroupGrants()),
	}
	routes = append(routes, members(hub+"/members", d.HubMembers())...)
	return append(routes, members(project+"/members", d.ProjectMembers())...)
}

func grants(template string, g administration.Grants) route {
	return route{template: template, methods: methods{"GET": g.Show(), "PUT": g.Put(), "DELETE": g.Remove()}}
}

func members(template string, m administration.Members) []route {
	return []route{
		{template: template, methods: methods{"GET": m.List(), "POST": m.Add()}},
		{template: template + "/{userId}", methods: methods{"GET": m.Show(), "PUT": m.Put(), "DELETE": m.Remove()}},
	}
}
