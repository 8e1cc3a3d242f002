package app

import (
	"context"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/facilities"
	"github.com/portico-id/portico/storage"
)

// newTwinsAPI is the administration of twins. Whom people may name, the rules of
// hubs say.
func newTwinsAPI(p *parts, d *desks) *facilities.API {
	hubs := p.Administration()
	return facilities.NewAPI(facilities.APIOptions{
		Rules: p.Facilities(), Door: d.door,
		Hub: func(ctx context.Context, user storage.User, id string) (storage.Hub, error) {
			return hubs.HubFor(ctx, administration.Caller{UserID: user.ID, Server: user.Admin}, id)
		},
		Person: func(ctx context.Context, user storage.User, handle string) (string, error) {
			return hubs.PersonFor(ctx, administration.Caller{UserID: user.ID, Server: user.Admin}, handle)
		},
	})
}
