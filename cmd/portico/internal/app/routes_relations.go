package app

import (
	"github.com/portico-id/portico/dataapi"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
)

// relations are references and links of folders, items and versions, search (S2
// 4.2 to 4.4), questions about many of them, and what has changed (decision W7).
func (a *App) relations() []route {
	d := a.parts.data
	var all []route
	for _, on := range []struct {
		template string
		of       dataapi.Owner
	}{
		{"/projects/{project_id}/folders/{folder_id}", dataapi.OfFolder},
		{"/projects/{project_id}/items/{item_id}", dataapi.OfItem},
		{"/projects/{project_id}/versions/{version_id}", dataapi.OfVersion},
	} {
		all = append(all,
			a.reads(on.template+"/refs", d.ListRelated(on.of)),
			a.relates(on.template+"/relationships/refs", d.ListRefs(on.of), d.AddRefs(on.of), d.RemoveRefs(on.of)),
			a.relates(on.template+"/relationships/links", d.ListLinks(on.of), d.AddLinks(on.of), d.RemoveLinks(on.of)))
	}
	search := a.reads("/projects/{project_id}/folders/{folder_id}/search", a.parts.search.Search)
	search.methods["GET"] = httpio.Endpoint{Handler: search.methods["GET"].Handler, Scope: scope.DataRead + " " + scope.DataSearch}
	commands := route{template: "/projects/{project_id}/commands", cors: middleware.RegisteredCORS, methods: methods{
		"POST": d.Guard(scope.DataRead, "", d.Command),
	}}
	return append(all, search, commands, a.reads("/projects/{project_id}/changes", a.parts.feed.ListChanges))
}

// bare is what the specification also has without /data/v1 (decision J3).
func (a *App) bare() []route {
	return []route{a.reads("/{project_id}/versions/{version_id}/relationships/links", a.parts.data.ListLinks(dataapi.OfVersion))}
}

// relates is the route of a relationship that clients change.
func (a *App) relates(template string, list, add, remove httpio.Handler) route {
	guard := func(scope string, operation httpio.Handler) httpio.Endpoint {
		return a.parts.data.Guard(scope, "", operation)
	}
	return route{template: template, cors: middleware.RegisteredCORS, methods: methods{
		"GET": guard(scope.DataRead, list), "POST": guard(scope.DataCreate, add), "DELETE": guard(scope.DataWrite, remove),
	}}
}
