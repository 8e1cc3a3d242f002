package app

import (
	"context"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// hubs lets apps into hubs by the rules of the data half, for the pages of
// apps, which know nothing of them.
type hubs struct {
	rules *administration.Rules
	store storage.AppAccessStore
}

func newHubs(p *parts) hubs { return hubs{p.Administration(), p.Store} }

// Levels implements apps.Hubs.
func (hubs) Levels() []string {
	var names []string
	for l := storage.LevelView; l <= storage.LevelControl; l++ {
		names = append(names, level.Name(l))
	}
	return names
}

// List implements apps.Hubs.
func (h hubs) List(ctx context.Context) ([]storage.Hub, error) { return h.rules.ListHubs(ctx) }

// Of implements apps.Hubs.
func (h hubs) Of(ctx context.Context, clientIDs []string) ([]apps.HubAccess, error) {
	found, err := h.store.ListHubsOfApps(ctx, clientIDs)
	var all []apps.HubAccess
	for _, a := range found {
		all = append(all, apps.HubAccess{
			ClientID: a.ClientID, HubID: a.HubID, HubName: a.HubName, Inactive: !a.HubActive,
			Level: level.Name(a.Level), Users: a.Users, Listed: a.Listed,
		})
	}
	return all, err
}

// Admit implements apps.Hubs.
func (h hubs) Admit(ctx context.Context, act storage.Act, access apps.HubAccess) error {
	wanted, err := level.Parse(access.Level, apps.FieldLevel)
	if err != nil {
		return err
	}
	hubID, err := h.find(ctx, access.HubID)
	if err != nil {
		return err
	}
	_, err = h.rules.ProvisionApp(ctx, storage.Change{Act: act}, storage.AppAccess{
		HubID: hubID, ClientID: access.ClientID, Level: wanted, Users: access.Users,
	})
	return err
}

// find returns the id of the hub with the id, or with the name that no other
// one has. Invalid, with the field.
func (h hubs) find(ctx context.Context, handle string) (string, error) {
	all, err := h.rules.ListHubs(ctx)
	if err != nil {
		return "", err
	}
	var named []string
	for _, hub := range all {
		if hub.ID == handle {
			return hub.ID, nil
		}
		if hub.Name == handle {
			named = append(named, hub.ID)
		}
	}
	switch len(named) {
	case 0:
		return "", fault.New(fault.Invalid, "hub_not_found", "There is no hub with this ID or name.").At(apps.FieldHub)
	case 1:
		return named[0], nil
	}
	return "", fault.New(fault.Invalid, "hub_ambiguous",
		"Several hubs have this name: give the ID of the one you mean.").At(apps.FieldHub)
}

// Withdraw implements apps.Hubs.
func (h hubs) Withdraw(ctx context.Context, act storage.Act, hubID, clientID string) error {
	return h.rules.WithdrawApp(ctx, storage.Change{Act: act}, hubID, clientID)
}
