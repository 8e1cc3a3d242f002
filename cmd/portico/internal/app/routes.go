package app

import (
	"net/http"
	"slices"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/archive"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/catalogue"
	"github.com/portico-id/portico/provider/outbox"
)

// areas is everything that the server answers, in the order in which routes are
// tried. Each area lists its own.
func (a *App) areas() []httpio.Area {
	p := a.parts
	guard := access.Guard{Bearer: p.bearer}
	return []httpio.Area{
		{Routes: p.provider.Protocol()}, // first: these are asked for most
		{Routes: p.Resources().Routes()},
		{Routes: p.assistants()},
		{Routes: p.Registrar().Routes(p.limits)},
		{Routes: p.provider.PageRoutes()},
		{Routes: provider.DeviceRoutes(p.provider)},
		{Prefix: "/account/v1", Routes: a.ownAPI(), WriteError: adminapi.WriteError},
		{Routes: a.desk()},
		{Prefix: "/admin/v1", Routes: a.adminAPI(), WriteError: adminapi.WriteError},
		p.Machines().Area(p.bearer),
		p.data.Projects(),
		{Prefix: "/data/v1", WriteError: jsonapi.WriteError, Routes: slices.Concat(
			p.data.Routes(p.batch.NamedFolders(guard), p.batch.NamedItems(guard)), p.relations.Routes(guard),
			p.search.Routes(guard), p.batch.Commands(guard), p.feed.Routes(guard))},
		p.scim.Area(),
		p.objects.Area(),
		{Prefix: archive.Prefix, WriteError: adminapi.WriteError, Routes: slices.Concat(
			p.archives.Routes(), p.flow.Routes(), p.sent.Routes())},
		p.relations.Bare(guard),
		p.twins.Area("/tandem/v1"),
		p.twins.Area(""),
		{Routes: a.service()},
	}
}

// desk is the pages of signed-in people.
func (a *App) desk() []httpio.Route {
	d := a.parts.desks
	return slices.Concat(
		d.accounts.Routes(), d.accounts.OwnRoutes(), d.factors.Routes(), d.portal.Routes(), d.machines.Routes(),
		d.people.OwnRoutes(), d.people.Routes(), d.apps.Routes(), d.people.AuditRoutes(), d.mail.Routes(), d.system.Routes(),
		d.brand.Routes(), d.policy.Routes(), d.upstreams.Routes(), d.connections.Routes(), d.directories.Routes(),
		d.resources.Routes(), d.registrations.Routes(), d.assistants.Routes(), d.files.Routes(),
		d.people.LinkRoutes(), d.people.JoinRoutes(),
		[]httpio.Route{httpio.At("/shown/{form}").Get(a.shown())},
	)
}

// ownAPI is what people's own programs call.
func (a *App) ownAPI() []httpio.Route {
	return slices.Concat(a.parts.desks.peopleAPI.OwnRoutes(), a.parts.desks.consents.OwnRoutes(),
		a.parts.desks.appsAPI.OwnRoutes())
}

// adminAPI is what programs of administrators call.
func (a *App) adminAPI() []httpio.Route {
	d := a.parts.desks
	return slices.Concat(
		d.peopleAPI.UserRoutes(), d.consents.Routes(), d.factorAPI.Routes(), d.peopleAPI.GroupRoutes(), d.appsAPI.Routes(),
		d.peopleAPI.AuditRoutes(), outbox.NewAPI(a.parts.Outbox(), d.door).Routes(),
		d.system.Operations(d.door), d.brandAPI.Routes(), d.policyAPI.Routes(), d.connectionsAPI.Routes(),
		d.registrationAPI.Routes(), d.directoriesAPI.Routes(), d.upstreamsAPI.Routes(),
		catalogue.NewAPI(a.parts.Catalogue(), d.door).Routes(),
		d.dataAPI.Routes(), d.twinsAPI.Routes(),
	)
}

// service is for pages' files and for whoever watches the server.
func (a *App) service() []httpio.Route {
	return append(a.parts.desks.brand.AssetRoutes(),
		httpio.At("/assets/{name}").Get(httpio.Endpoint{Handler: a.assets()}),
		a.parts.desks.portal.PictureRoute(),
		a.parts.desks.people.PortraitRoute(),
		a.parts.data.SchemaRoute(),
		httpio.At("/healthz").Get(httpio.Endpoint{Handler: http.HandlerFunc(a.healthy)}),
		httpio.At("/readyz").Get(httpio.Endpoint{Handler: http.HandlerFunc(a.ready)}),
	)
}
