package administration

import (
	"slices"

	"github.com/portico-id/portico/internal/httpio"
)

// Templates of what things are in.
const (
	hubTemplate     = "/hubs/{hubId}"
	projectTemplate = "/projects/{projectId}"
)

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	return slices.Concat(a.hubRoutes(), a.projectRoutes(), a.webhookRoutes(), a.rightsRoutes())
}

func (a *API) hubRoutes() []httpio.Route {
	read, write := a.door.ReadPart, a.door.WritePart
	const group, app = hubTemplate + "/groups/{groupId}", hubTemplate + "/apps/{clientId}"
	return []httpio.Route{
		httpio.At("/hubs").Get(read(anywhere(a.listHubs))).Post(a.door.Write(anywhere(a.createHub))),
		httpio.At(hubTemplate).Get(read(a.inHub(a.showHub))).Patch(write(a.inHub(a.changeHub))),
		httpio.At(hubTemplate + "/groups").Get(read(a.inHub(a.listGroups))).Post(write(a.inHub(a.createGroup))),
		httpio.At(group).Get(read(a.inGroup(a.showGroup))).Patch(write(a.inGroup(a.changeGroup))).
			Delete(write(a.inGroup(a.deleteGroup))),
		httpio.At(group + "/members").Get(read(a.inGroup(a.listGroupMembers))),
		httpio.At(group + "/members/{userId}").Put(write(a.inGroup(a.putGroupMember))).
			Delete(write(a.inGroup(a.removeGroupMember))),
		httpio.At(hubTemplate + "/apps").Get(read(a.inHub(a.listApps))),
		httpio.At(app).Get(read(a.inHub(a.showApp))).Put(write(a.inHub(a.putApp))).
			Delete(write(a.inHub(a.removeApp))),
		httpio.At(hubTemplate + "/projects").Get(read(a.inHub(a.listProjects))).Post(write(a.inHub(a.createProject))),
		httpio.At(hubTemplate + "/events").Get(read(a.inHub(a.listHubEvents))),
	}
}

func (a *API) projectRoutes() []httpio.Route {
	read, write := a.door.ReadPart, a.door.WritePart
	const reservations = projectTemplate + "/reservations"
	return []httpio.Route{
		httpio.At(projectTemplate + "/events").Get(read(a.inProject(a.listProjectEvents))),
		httpio.At(projectTemplate).Get(read(a.inProject(a.showProject))).Patch(write(a.inProject(a.changeProject))),
		httpio.At(projectTemplate + "/purge").Post(a.door.Write(a.inProject(a.purgeProject))),
		httpio.At(reservations).Get(read(a.inProject(a.listReservations))),
		httpio.At(reservations + "/{itemId}").Delete(write(a.inProject(a.breakReservation))),
	}
}

func (a *API) webhookRoutes() []httpio.Route {
	read, write := a.door.ReadPart, a.door.WritePart
	const hooks, hook = projectTemplate + "/webhooks", projectTemplate + "/webhooks/{webhookId}"
	return []httpio.Route{
		httpio.At(hooks).Get(read(a.inProject(a.listWebhooks))).Post(write(a.inProject(a.createWebhook))),
		httpio.At(hook).Get(read(a.atWebhook(a.showWebhook))).Delete(write(a.atWebhook(a.deleteWebhook))),
		httpio.At(hook + "/deliveries").Get(read(a.atWebhook(a.listDeliveries))),
		httpio.At(hook + "/deliveries/{deliveryId}/redeliver").Post(write(a.atWebhook(a.redeliver))),
	}
}

// rightsRoutes are the operations on who may what.
func (a *API) rightsRoutes() []httpio.Route {
	read, write := a.door.ReadPart, a.door.WritePart
	const folder = projectTemplate + "/folders/{folderId}"
	grants := func(template string, g grants) httpio.Route {
		return httpio.At(template).Get(read(g.one(g.show))).Put(write(g.one(g.put))).
			Delete(write(g.one(g.remove)))
	}
	routes := []httpio.Route{
		httpio.At(folder + "/effective").Get(read(a.inFolder(a.showEffective))),
		httpio.At(folder + "/grants").Get(read(a.inFolder(a.listGrants))),
		grants(folder+"/grants/users/{userId}", a.userGrants()),
		grants(folder+"/grants/groups/{groupId}", a.groupGrants()),
	}
	for _, m := range []members{a.hubMembers(), a.projectMembers()} {
		routes = append(routes,
			httpio.At(m.template).Get(read(m.in(m.list))).Post(write(m.in(m.add))),
			httpio.At(m.template+"/{userId}").Get(read(m.in(m.one(m.show)))).Put(write(m.in(m.one(m.put)))).
				Delete(write(m.in(m.one(m.remove)))))
	}
	return routes
}
