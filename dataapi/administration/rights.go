package administration

import (
	"context"
	"slices"

	"github.com/portico-id/portico/dataapi/setup"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// ProvisionApp lets a client into a hub, or changes what it may there. NotFound
// for an absent hub, client or user; Invalid for users named without
// storage.AppForListed, or the other way round.
func (a *Rules) ProvisionApp(ctx context.Context, change storage.Change,
	access storage.AppAccess) (storage.AppAccess, error) {
	if (access.Users == storage.AppForListed) != (len(access.UserIDs) > 0) {
		return access, setup.Invalid(FieldUsers, "Name the users that the app may act for, or all-members, or none.")
	}
	if access.Level == storage.LevelNone {
		access.Level = storage.LevelEdit
	}
	access.CreatedAt = change.At
	err := a.store.ProvisionApp(ctx, change, access)
	if fault.HasReason(err, storage.ReasonClientAbsent) || fault.HasReason(err, storage.ReasonUserAbsent) {
		return access, atField(err)
	}
	return access, fault.OrAbsent(err, FieldHub)
}

// WithdrawApp takes the client's access to the hub away. NotFound.
func (a *Rules) WithdrawApp(ctx context.Context, change storage.Change, hubID, clientID string) error {
	err := a.store.WithdrawApp(ctx, change, hubID, clientID)
	if fault.Is(err, fault.NotFound) {
		return notProvisioned().Because(err)
	}
	return err
}

// ListApps returns which clients are provisioned in the hub. NotFound.
func (a *Rules) ListApps(ctx context.Context, hubID string) ([]storage.AppAccess, error) {
	if _, err := a.FindHub(ctx, hubID); err != nil {
		return nil, err
	}
	return a.store.ListAppAccess(ctx, hubID)
}

// FindApp returns what the client may do in the hub, or NotFound.
func (a *Rules) FindApp(ctx context.Context, hubID, clientID string) (storage.AppAccess, error) {
	apps, err := a.store.ListAppAccess(ctx, hubID)
	if err != nil {
		return storage.AppAccess{}, err
	}
	i := slices.IndexFunc(apps, func(access storage.AppAccess) bool { return access.ClientID == clientID })
	if i < 0 {
		return storage.AppAccess{}, notProvisioned()
	}
	return apps[i], nil
}

func notProvisioned() *fault.Error {
	return fault.New(fault.NotFound, "app_not_provisioned", "The client is not provisioned in the hub.")
}

// SetGrant gives a user or group a level in a folder and all below it. NotFound
// for an absent folder, user or group.
func (a *Rules) SetGrant(ctx context.Context, change storage.Change, projectID string,
	grant storage.FolderGrant) error {
	err := a.store.SetFolderGrant(ctx, change, projectID, grant)
	if fault.HasReason(err, storage.ReasonUserAbsent) || fault.HasReason(err, storage.ReasonGroupAbsent) {
		return atField(err)
	}
	return fault.OrAbsent(err, FieldFolder)
}

// RemoveGrant takes it back. NotFound.
func (a *Rules) RemoveGrant(ctx context.Context, change storage.Change, projectID string,
	grant storage.FolderGrant) error {
	return fault.OrAbsent(a.store.RemoveFolderGrant(ctx, change, projectID, grant), "grant")
}

// ListGrants returns what was given in this very folder. NotFound.
func (a *Rules) ListGrants(ctx context.Context, projectID, folderID string) ([]storage.FolderGrant, error) {
	grants, err := a.store.ListFolderGrants(ctx, projectID, folderID)
	return grants, fault.OrAbsent(err, FieldFolder)
}

// Explain returns what the user may do in the folder, and what that follows
// from. NotFound for an absent folder.
func (a *Rules) Explain(ctx context.Context, projectID, folderID,
	userID string) (storage.Level, []storage.AccessReason, error) {
	place, _, err := a.store.FindFolder(ctx, storage.Caller{UserID: userID}, projectID, folderID)
	if err != nil {
		return storage.LevelNone, nil, fault.OrAbsent(err, FieldFolder)
	}
	reasons, err := a.store.ExplainAccess(ctx, userID, projectID, folderID)
	return place.Standing.Level(), reasons, err
}
