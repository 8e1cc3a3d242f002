package app

import (
	"net/http"
	"slices"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/dataapi/twins"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/serviceaccounts"
)

// area is a part of the API with a subrouter of its own.
type area struct {
	prefix     string // of every template in it
	routes     []route
	writeError httpio.ErrorWriter // for paths under the prefix and methods that it doesn't have; nil: the whole server's
}

// route is one path with everything that is decided by path.
type route struct {
	template string  // behind the prefix, as gorilla/mux reads it; variables stay percent-encoded
	methods  methods // what it answers; HEAD comes with GET, OPTIONS always
	cors     middleware.CORSPolicy
}

type methods map[string]httpio.Endpoint

const tokenPath = "/authentication/v2/token"

// areas is the whole API on one page, each template once. What is limited by
// rate (S1 section 8) depends on who calls, so the handlers count themselves.
func (a *App) areas() []area {
	return []area{
		{routes: a.protocol()}, // first, as routes are tried in this order and these are asked for most
		{routes: a.pages()},
		{routes: a.account()},
		{routes: a.portal()},
		{routes: a.desk()},
		{prefix: "/admin/v1", routes: slices.Concat(a.adminAPI(), a.dataAdminAPI(), a.twinsAdminAPI()), writeError: adminapi.WriteError},
		{prefix: "/authentication/v2/service-accounts", routes: a.serviceAccounts(), writeError: serviceaccounts.WriteError},
		{prefix: "/project/v1", routes: a.projects(), writeError: jsonapi.WriteError},
		{prefix: "/data/v1", routes: append(a.folders(), a.relations()...), writeError: jsonapi.WriteError},
		{prefix: "/oss/v2", routes: a.objects(), writeError: objects.WriteError},
		{prefix: "/projects", routes: a.bare(), writeError: jsonapi.WriteError},
		{prefix: "/tandem/v1", routes: a.twins(), writeError: twins.WriteError},
		{routes: a.twins(), writeError: twins.WriteError},
		{routes: a.service()},
	}
}

// pages are for people.
func (a *App) pages() []route {
	p := a.parts.provider
	showLogin, submitLogin := p.Login()
	showConsent, submitConsent := p.Consent()
	return []route{
		{template: "/", methods: get(p.Home())},
		{template: "/login", methods: methods{"GET": {Handler: showLogin}, "POST": {Handler: submitLogin}}},
		{template: "/consent", methods: methods{"GET": {Handler: showConsent}, "POST": {Handler: submitConsent}}},
		{template: "/signout", methods: post(p.SignOut())},
	}
}

// protocol is OAuth 2.0 and OpenID Connect.
func (a *App) protocol() []route {
	p := a.parts.provider
	const registered, anyone = middleware.RegisteredCORS, middleware.AnyCORS
	return []route{
		{template: tokenPath, methods: post(p.Token()), cors: registered},
		{template: "/authentication/v2/authorize", methods: both(p.Authorize())},
		{template: "/authentication/v2/authorize/resume", methods: get(p.Resume())},
		{template: "/authentication/v2/revoke", methods: post(p.Revoke()), cors: registered},
		{template: "/authentication/v2/introspect", methods: post(p.Introspect())},
		{template: "/authentication/v2/keys", methods: get(p.Keys()), cors: anyone},
		{template: "/authentication/v2/logout", methods: both(p.Logout())},
		{template: "/userinfo", methods: both(p.UserInfo()), cors: registered},
		{template: "/.well-known/openid-configuration", methods: get(p.Discovery()), cors: anyone},
		{template: "/.well-known/oauth-authorization-server", methods: get(p.Discovery()), cors: anyone},
	}
}

// serviceAccounts are the nine operations of S1 4.2.
func (a *App) serviceAccounts() []route {
	h := a.parts.machines.Handlers()
	needs := func(scope string, h http.Handler) httpio.Endpoint {
		return serviceaccounts.Guard(a.parts.bearer, scope, h)
	}
	const read, write = scope.ServiceAccountRead, scope.ServiceAccountWrite
	const readKeys, writeKeys = scope.ServiceAccountKeyRead, scope.ServiceAccountKeyWrite
	return []route{
		{template: "", methods: methods{"GET": needs(read, h.List()), "POST": needs(write, h.Create())}},
		{template: "/{serviceAccountId}", methods: methods{
			"GET": needs(read, h.Show()), "PATCH": needs(write, h.Patch()), "DELETE": needs(write, h.Delete()),
		}},
		{template: "/{serviceAccountId}/keys", methods: methods{
			"GET": needs(readKeys, h.ListKeys()), "POST": needs(writeKeys, h.CreateKey()),
		}},
		{template: "/{serviceAccountId}/keys/{keyId}", methods: methods{
			"PATCH": needs(writeKeys, h.PatchKey()), "DELETE": needs(writeKeys, h.DeleteKey()),
		}},
	}
}

// projects are the operations of S2 4.1.
func (a *App) projects() []route {
	d := a.parts.data
	const project = "/hubs/{hub_id}/projects/{project_id}"
	return []route{
		a.reads("/hubs", d.ListHubs),
		a.reads("/hubs/{hub_id}", d.GetHub),
		a.reads("/hubs/{hub_id}/projects", d.ListProjects),
		a.reads(project, d.GetProject),
		a.reads(project+"/hub", d.GetHubOfProject),
		a.reads(project+"/topFolders", d.ListTopFolders),
	}
}

// folders are the operations of S2 4.2 to 4.4, and who has which rights.
func (a *App) folders() []route {
	d := a.parts.data
	const folder = "/projects/{project_id}/folders/{folder_id}"
	const item = "/projects/{project_id}/items/{item_id}"
	const version = "/projects/{project_id}/versions/{version_id}"
	return []route{
		a.alsoReads(a.makes("/projects/{project_id}/folders", d.CreateFolder), d.ListNamedFolders),
		a.makes("/projects/{project_id}/storage", d.CreateStorage),
		a.alsoReads(a.makes("/projects/{project_id}/items", d.CreateItem), d.ListNamedItems),
		a.makes("/projects/{project_id}/versions", d.CreateVersion),
		a.changes(a.readsOne(folder, "folder_id", d.GetFolder), d.PatchFolder),
		a.reads(folder+"/parent", d.GetFolderParent),
		a.reads(folder+"/contents", d.ListContents),
		a.reads(folder+"/permissions", d.ListPermissions),
		a.reads(folder+"/permissions/effective", d.GetEffectivePermission),
		a.changes(a.readsOne(item, "item_id", d.GetItem), d.PatchItem),
		a.reads(item+"/parent", d.GetItemParent),
		a.reads(item+"/tip", d.GetTip),
		a.reads(item+"/versions", d.ListVersions),
		a.changes(a.readsOne(version, "version_id", d.GetVersion), d.PatchVersion),
		a.reads(version+"/item", d.GetItemOfVersion),
	}
}

// reads is a route of the data API that is only read.
func (a *App) reads(template string, operation httpio.Handler) route {
	return a.readsOne(template, "", operation)
}

// readsOne is a route of one resource, which a token may be made for alone.
func (a *App) readsOne(template, variable string, operation httpio.Handler) route {
	guarded := a.parts.data.Guard(scope.DataRead, variable, operation)
	return route{template: template, methods: methods{"GET": guarded}, cors: middleware.RegisteredCORS}
}

// makes is a route where resources are created (decision J14).
func (a *App) makes(template string, operation httpio.Handler) route {
	guarded := a.parts.data.Guard(scope.DataCreate, "", operation)
	return route{template: template, methods: methods{"POST": guarded}, cors: middleware.RegisteredCORS}
}

// changes adds the change of a resource to the route where it is read.
func (a *App) changes(r route, operation httpio.Handler) route {
	r.methods["PATCH"] = a.parts.data.Guard(scope.DataWrite, "", operation)
	return r
}

// alsoReads adds the reading to the route where something is created.
func (a *App) alsoReads(r route, operation httpio.Handler) route {
	r.methods["GET"] = a.parts.data.Guard(scope.DataRead, "", operation)
	return r
}

// service is for pages' files and for whoever watches the server.
func (a *App) service() []route {
	return []route{
		{template: "/assets/{name}", methods: get(a.assets())},
		{template: "/logos/{logo}", methods: get(a.parts.desks.portal.Picture())},
		{template: "/schema/v1/versions/{schema_id}", methods: get(a.parts.data.GetSchema()), cors: middleware.AnyCORS},
		{template: "/healthz", methods: get(http.HandlerFunc(a.healthy))},
		{template: "/readyz", methods: get(http.HandlerFunc(a.ready))},
	}
}

func get(h http.Handler) methods  { return methods{"GET": {Handler: h}} }
func post(h http.Handler) methods { return methods{"POST": {Handler: h}} }
func both(h http.Handler) methods { return methods{"GET": {Handler: h}, "POST": {Handler: h}} }
