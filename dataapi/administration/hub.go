package administration

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/portico-id/portico/dataapi/setup"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// NewHub is a hub to be created.
type NewHub struct {
	ID     string // empty: a new one
	Name   string
	Region string // empty: the first of Regions
}

// CreateHub adds an active hub without members. Invalid, with the field.
func (a *Rules) CreateHub(ctx context.Context, change storage.Change, wanted NewHub) (storage.Hub, error) {
	name, err := setup.Name(wanted.Name, FieldName)
	if err != nil {
		return storage.Hub{}, err
	}
	region := cmp.Or(wanted.Region, Regions()[0])
	if err := checkRegion(region); err != nil {
		return storage.Hub{}, err
	}
	hub := storage.Hub{
		ID: cmp.Or(wanted.ID, "b."+a.ambient.UUID()), Name: name, Region: region, Active: true,
		Extension: storage.Extension{Type: a.urn.HubType(), Version: urn.ExtensionVersion},
		CreatedAt: change.At, UpdatedAt: change.At,
	}
	return hub, a.store.CreateHub(ctx, change, hub)
}

func checkRegion(region string) error {
	if slices.Contains(Regions(), region) {
		return nil
	}
	return setup.Invalid(FieldRegion, "The region must be one of "+strings.Join(Regions(), ", ")+".")
}

// UpdateHub gives the hub another name and region, and activates or deactivates it: all of
// that or nothing; nil leaves one as it is.
// Invalid, with the field; NotFound.
func (a *Rules) UpdateHub(ctx context.Context, change storage.Change, id string, name, region *string,
	active *bool) (storage.Hub, error) {
	err := a.store.UpdateHub(ctx, change, id, func(hub *storage.Hub) (err error) {
		if name != nil {
			if hub.Name, err = setup.Name(*name, FieldName); err != nil {
				return err
			}
		}
		if region != nil {
			hub.Region, err = *region, checkRegion(*region)
		}
		if active != nil {
			hub.Active = *active
		}
		return err
	})
	if err != nil {
		return storage.Hub{}, fault.OrAbsent(err, FieldHub)
	}
	return a.FindHub(ctx, id)
}

// ListHubs returns all hubs, inactive ones too, ordered by name.
func (a *Rules) ListHubs(ctx context.Context) ([]storage.Hub, error) {
	list, err := a.store.ListHubs(ctx, storage.Caller{}, storage.HubQuery{Inactive: true})
	return list.Hubs, err
}

// FindHub returns the hub, or NotFound.
func (a *Rules) FindHub(ctx context.Context, id string) (storage.Hub, error) {
	hub, _, err := a.store.FindHub(ctx, storage.Caller{}, id)
	return hub, fault.OrAbsent(err, FieldHub)
}

// SetHubActive activates or deactivates the hub: an inactive one, with all in
// it, does not exist for clients. NotFound.
func (a *Rules) SetHubActive(ctx context.Context, change storage.Change, id string, active bool) (storage.Hub, error) {
	if err := a.store.SetHubActive(ctx, change, id, active); err != nil {
		return storage.Hub{}, fault.OrAbsent(err, FieldHub)
	}
	return a.FindHub(ctx, id)
}
