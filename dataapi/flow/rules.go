package flow

import (
	"context"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/naming"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Rules are those of states and names. They are safe for concurrent use.
type Rules struct {
	store  storage.FlowStore
	rights access.Finder
}

// New returns Rules.
func New(store storage.FlowStore, rights access.Finder) *Rules { return &Rules{store, rights} }

// State returns how far a version has come, to whoever can see it.
func (r *Rules) State(ctx context.Context, who storage.Caller, projectID string,
	ref storage.VersionRef) (storage.VersionState, error) {
	_, version, err := r.rights.Version(ctx, who, projectID, ref)
	return storage.StateOf(version.Extension), err
}

// SetState brings a version to a state. NotFound; Forbidden; Invalid with the
// field; Conflict for a revision that another version of the file has; Locked.
func (r *Rules) SetState(ctx context.Context, change storage.Change, projectID string, ref storage.VersionRef,
	state storage.VersionState) error {
	at, version, err := r.rights.Version(ctx, change.Caller, projectID, ref)
	if err == nil {
		err = MaySet(at.Standing, storage.StateOf(version.Extension), state)
	}
	if err == nil {
		err = Check(state)
	}
	if err != nil {
		return err
	}
	change.Seen = version.Revision // what was judged is what is changed
	return access.OrRemoved(r.store.SetVersionState(ctx, change, projectID, ref, state), "version")
}

// Naming returns how the project's files are called, to who has a part in it.
func (r *Rules) Naming(ctx context.Context, who storage.Caller, projectID string) (storage.Naming, error) {
	if _, err := r.project(ctx, who, projectID); err != nil {
		return storage.Naming{}, err
	}
	return r.store.FindNaming(ctx, projectID)
}

// SetNaming says how they are called; without fields every name will do. It is
// for those who administer the project. What is there keeps its name.
func (r *Rules) SetNaming(ctx context.Context, change storage.Change, projectID string, rule storage.Naming) error {
	place, err := r.project(ctx, change.Caller, projectID)
	if err != nil {
		return err
	}
	if !place.Standing.Everywhere() || place.Standing.Level() < storage.LevelControl {
		return fault.New(fault.Forbidden, access.ReasonNoRight,
			"Only administrators of the project say how its files are called.")
	}
	return r.PutNaming(ctx, change, projectID, rule)
}

// PutNaming is SetNaming for who is known to administer the project.
func (r *Rules) PutNaming(ctx context.Context, change storage.Change, projectID string, rule storage.Naming) error {
	if err := naming.Sound(rule); err != nil {
		return err
	}
	if rule.Holding != "" {
		_, folder, err := r.rights.Store.FindFolder(ctx, storage.Caller{}, projectID, rule.Holding)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		if err != nil || !folder.Visible || folder.Kind == storage.FolderRoot {
			return invalid("holding", "This is no folder of the project.")
		}
	}
	return fault.OrAbsent(r.store.SetNaming(ctx, change, projectID, rule), "project")
}

// NamingOf is Naming for who is known to administer the project.
func (r *Rules) NamingOf(ctx context.Context, projectID string) (storage.Naming, error) {
	return r.store.FindNaming(ctx, projectID)
}

func (r *Rules) project(ctx context.Context, who storage.Caller, projectID string) (storage.Place, error) {
	place, err := r.rights.Store.FindProject(ctx, who, projectID)
	if err != nil {
		return place, fault.OrAbsent(err, "project")
	}
	return place, access.Enter(place)
}
