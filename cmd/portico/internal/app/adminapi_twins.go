package app

import (
	"context"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/facilities"
	"github.com/portico-id/portico/storage"
)

// newTwinsAPI is the administration of twins. Whom people may name, the rules of
// hubs say.
func newTwinsAPI(p *parts, d *desks, c config.Config) *facilities.API {
	hubs := newAdministration(p, c)
	return facilities.NewAPI(facilities.APIOptions{
		Rules: facilities.New(facilities.Options{Store: p.store, Ambient: p.ambient, Namespace: c.URNNamespace}), Door: d.door,
		Hub: func(ctx context.Context, user storage.User, id string) (storage.Hub, error) {
			return hubs.HubFor(ctx, administration.Caller{UserID: user.ID, Server: user.Admin}, id)
		},
		Person: func(ctx context.Context, user storage.User, handle string) (string, error) {
			return hubs.PersonFor(ctx, administration.Caller{UserID: user.ID, Server: user.Admin}, handle)
		},
	})
}

// twinsAdminAPI is what programs of administrators of facilities call.
func (a *App) twinsAdminAPI() []route {
	t := a.parts.desks.twinsAPI
	const twin = "/twins/{twinId}"
	return []route{
		{template: "/hubs/{hubId}/twins", methods: methods{"GET": t.ListTwins(), "POST": t.CreateTwin()}},
		{template: twin, methods: methods{"GET": t.ShowTwin(), "PATCH": t.ChangeTwin()}},
		{template: twin + "/members", methods: methods{"GET": t.ListMembers()}},
		{template: twin + "/members/{userId}", methods: methods{"PUT": t.PutMember(), "DELETE": t.RemoveMember()}},
		{template: twin + "/models", methods: methods{"GET": t.ListModels(), "POST": t.CreateModel()}},
		{template: twin + "/models/{modelId}/elements", methods: methods{"POST": t.ImportElements()}},
	}
}
