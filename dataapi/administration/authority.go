package administration

import (
	"context"

	"github.com/portico-id/portico/dataapi/setup"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Caller is who administers: the whole server, or what the store says is
// theirs. What is not theirs does not exist for them.
type Caller struct {
	UserID string
	Server bool // administers the server
}

func (c Caller) storage() storage.Caller { return storage.Caller{UserID: c.UserID} }

// HubsFor returns the hubs that the caller administers, inactive ones too,
// ordered by name.
func (a *Rules) HubsFor(ctx context.Context, who Caller) ([]storage.Hub, error) {
	if who.Server {
		return a.ListHubs(ctx)
	}
	list, err := a.store.ListHubs(ctx, who.storage(), storage.HubQuery{Inactive: true, Administered: true})
	return list.Hubs, err
}

// HubFor returns the hub to those who administer it, inactive too. NotFound.
func (a *Rules) HubFor(ctx context.Context, who Caller, id string) (storage.Hub, error) {
	hub, standing, err := a.store.FindHub(ctx, who.storage(), id)
	if err != nil {
		return storage.Hub{}, fault.OrAbsent(err, FieldHub)
	}
	if !who.hub(standing) {
		return storage.Hub{}, fault.Absent(FieldHub)
	}
	return hub, nil
}

// hub reports whether the caller administers the hub in which they stand so.
func (c Caller) hub(s storage.Standing) bool { return c.Server || s.UserEnabled && s.HubAdmin }

// ProjectFor returns the project to those who administer it or its hub. To an
// administrator of the project alone an inactive one is closed like to everybody
// (decision J15). NotFound.
func (a *Rules) ProjectFor(ctx context.Context, who Caller, id string) (storage.Place, error) {
	place, err := a.store.FindProject(ctx, who.storage(), id)
	if err != nil {
		return storage.Place{}, fault.OrAbsent(err, FieldProject)
	}
	if !who.project(place) {
		return storage.Place{}, fault.Absent(FieldProject)
	}
	return place, nil
}

func (c Caller) project(p storage.Place) bool {
	return c.hub(p.Standing) || p.Standing.UserEnabled && p.Standing.ProjectAdmin && open(p)
}

func open(p storage.Place) bool { return p.Hub.Active && p.Project.Active }

// FolderFor returns the folder to those who administer the project, and to those
// who may give rights in it. NotFound.
func (a *Rules) FolderFor(ctx context.Context, who Caller, projectID,
	folderID string) (storage.Place, storage.Folder, error) {
	place, folder, err := a.store.FindFolder(ctx, who.storage(), projectID, folderID)
	if err != nil {
		return storage.Place{}, storage.Folder{}, fault.OrAbsent(err, FieldFolder)
	}
	gives := open(place) && place.Standing.Level() >= storage.LevelControl
	if !who.project(place) && !gives {
		return storage.Place{}, storage.Folder{}, fault.Absent(FieldFolder)
	}
	return place, folder, nil
}

// GrantFor is SetGrant for a caller whom FolderFor let in. Who administers
// nothing there gives rights to members of the hub only: others don't exist for
// them.
func (a *Rules) GrantFor(ctx context.Context, who Caller, place storage.Place, change storage.Change,
	grant storage.FolderGrant) error {
	if grant.UserID != "" && !who.project(place) {
		if err := setup.CheckMember(ctx, a.store, place.Hub.ID, grant.UserID); err != nil {
			return err
		}
	}
	return a.SetGrant(ctx, change, place.Project.ID, grant)
}

// MemberFor is PersonFor at a place. Who administers nothing there is told of members of
// the hub alone, and of everybody else the same as of nobody: not that there is such an
// account, nor whose an address is.
func (a *Rules) MemberFor(ctx context.Context, who Caller, place storage.Place, handle string) (string, error) {
	id, err := a.PersonFor(ctx, who, handle)
	if who.project(place) {
		return id, err
	}
	if err == nil {
		err = setup.CheckMember(ctx, a.store, place.Hub.ID, id)
	}
	if fault.Is(err, fault.NotFound) {
		return "", setup.NoMember()
	}
	return id, err
}

// PersonFor is Person for a caller. Only a server administrator learns that an
// address is in use that nobody has verified.
func (a *Rules) PersonFor(ctx context.Context, who Caller, handle string) (string, error) {
	id, err := a.Person(ctx, handle)
	if fault.HasReason(err, ReasonEmailNotVerified) && !who.Server {
		err = unknownAddress(handle)
	}
	if !who.Server && IsUnknownAddress(err, handle) {
		f := fault.From(err)
		return "", fault.Newf(f.Kind, f.Reason,
			"There is no user with the address %s. An administrator of this server can invite them.", handle).At(FieldUser)
	}
	return id, err
}
