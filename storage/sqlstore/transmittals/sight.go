package transmittals

import (
	"context"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// sight is how somebody stands in the project and its folders.
type sight struct {
	storage.Standing
	granted map[string]storage.Level // by the paths of folders
}

// at is the level in the folder at the path.
func (s sight) at(path string) storage.Level {
	for i, c := range path {
		if c == '/' {
			s.Granted = max(s.Granted, s.granted[path[:i+1]])
		}
	}
	return s.Level()
}

// reaches reports whether they have the level where each of the versions lies.
func (s sight) reaches(versions []versionRow, least storage.Level) bool {
	return !slices.ContainsFunc(versions, func(v versionRow) bool { return !v.Shown || s.at(v.Path) < least })
}

// stillMay refuses what may not be sent any more, or not to all of them: rights were
// looked at before, and what they rest on may be otherwise by now.
func stillMay(ctx context.Context, t hubs.Tx, project hubs.ProjectRow, by storage.Caller, sent storage.NewTransmittal,
	versions []versionRow) error {
	may, err := sameGroups(ctx, t, sent.Groups)
	if err != nil {
		return err
	}
	place, err := t.Place(ctx, by, project.UID)
	if err != nil {
		return err
	}
	sights, err := sightsOf(ctx, t, project.ID, by.UserID, sent.To)
	if err != nil {
		return err
	}
	sender := sight{place.Standing, sights[by.UserID].granted}
	may = may && place.Hub.Active && place.Project.Active && sender.reaches(versions, storage.LevelEdit)
	for _, person := range sent.To {
		may = may && sights[person.UserID].reaches(versions, storage.LevelView)
	}
	if !may {
		return fault.New(fault.Locked, storage.ReasonSightChanged,
			"Rights or files are being changed. Try again in a moment.").After(engine.LockWait)
	}
	return nil
}

// sightsOf returns how whoever sends and everybody to whom it is sent stands, by their ids.
func sightsOf(ctx context.Context, t hubs.Tx, projectKey int64, by string,
	to []storage.SentTo) (map[string]sight, error) {
	people := [][]any{{by, projectKey}}
	for _, person := range to {
		if person.UserID != by {
			people = append(people, []any{person.UserID, projectKey})
		}
	}
	var standings []standingRow
	var grants []grantRow
	if err := engine.ListRows(ctx, t, &standings, selectStandings, people); err != nil {
		return nil, err
	}
	if err := engine.ListRows(ctx, t, &grants, selectGrants, people); err != nil {
		return nil, err
	}
	all := map[string]sight{}
	for _, s := range standings {
		s.Caller.UserID, s.AppLevel, s.AppActsFor = s.UserID, storage.LevelControl, true
		all[s.UserID] = sight{s.Standing, map[string]storage.Level{}}
	}
	for _, g := range grants {
		granted := all[g.UserID].granted
		granted[g.Path] = max(granted[g.Path], g.Level)
	}
	return all, nil
}

// sameGroups reports whether the same people are in the groups.
func sameGroups(ctx context.Context, t hubs.Tx, groups map[string][]string) (bool, error) {
	var ids [][]any
	for id := range groups {
		ids = append(ids, []any{id})
	}
	var members []memberRow
	err := engine.ListRows(ctx, t, &members, selectMembers, ids)
	now := map[string][]string{}
	for _, m := range members {
		now[m.GroupID] = append(now[m.GroupID], m.UserID)
	}
	for id, then := range groups {
		if !slices.Equal(slices.Sorted(slices.Values(then)), slices.Sorted(slices.Values(now[id]))) {
			return false, err
		}
	}
	return true, err
}
