package federation

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/identity"
)

const (
	selectGroups = `
SELECT upstream_id, external, group_id FROM upstream_groups WHERE upstream_id = :upstream_id
ORDER BY external, group_id`

	deleteGroups = `
DELETE FROM upstream_groups WHERE upstream_id = :upstream_id`

	insertGroup = `
INSERT INTO upstream_groups (upstream_id, external, group_id) VALUES (:upstream_id, :external, :group_id)
ON CONFLICT DO NOTHING`

	insertMember = `
INSERT INTO user_group_members (group_id, user_id, source) VALUES (:group_id, :user_id, :upstream_id)
ON CONFLICT DO NOTHING`

	deleteMember = `
DELETE FROM user_group_members WHERE group_id = :group_id AND user_id = :user_id AND source = :upstream_id`

	selectGroupsByIt = `
SELECT group_id FROM user_group_members WHERE user_id = :user_id AND source = :upstream_id ORDER BY group_id`
)

// SetUpstreamGroups implements storage.UpstreamStore.
func (s *Federation) SetUpstreamGroups(ctx context.Context, act storage.Act, upstreamID string,
	groups []storage.UpstreamGroup) error {
	return s.write(ctx, func(t tx) error {
		if err := t.MustExist(ctx, "upstream", lockUpstream, upstreamID); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, deleteGroups, engine.Args{"upstream_id": upstreamID}); err != nil {
			return err
		}
		for _, group := range groups {
			group.UpstreamID = upstreamID
			if err := t.MustExist(ctx, "group", identity.SelectUserGroupID, group.GroupID); err != nil {
				return err
			}
			if err := t.IsOwnGroup(ctx, group.GroupID); err != nil {
				return err
			}
			if _, err := t.Exec(ctx, insertGroup, group); err != nil {
				return err
			}
		}
		return t.Audit(ctx, act, "upstream.groups_set", upstreamID, engine.Detail{"groups": len(groups)})
	})
}

// ListUpstreamGroups implements storage.UpstreamStore.
func (s *Federation) ListUpstreamGroups(ctx context.Context, upstreamID string) ([]storage.UpstreamGroup, error) {
	return engine.All[storage.UpstreamGroup](ctx, s.db, selectGroups, engine.Args{"upstream_id": upstreamID})
}

// MeetGroups implements storage.UpstreamStore.
func (s *Federation) MeetGroups(ctx context.Context, act storage.Act, upstreamID, userID string, external []string,
	own bool) error {
	return s.write(ctx, func(t tx) error {
		if err := t.ShareUpstream(ctx, upstreamID); err != nil {
			return err
		}
		if err := t.LockUser(ctx, userID); err != nil {
			return err
		}
		arg := engine.Args{"upstream_id": upstreamID, "user_id": userID}
		var said []storage.UpstreamGroup
		if err := t.List(ctx, &said, selectGroups, arg); err != nil {
			return err
		}
		there := map[string]bool{}
		for _, name := range external {
			there[name] = true
		}
		wanted := map[string]bool{}
		for _, group := range said {
			if there[group.External] && !wanted[group.GroupID] {
				wanted[group.GroupID] = true
				if err := t.member(ctx, act, insertMember, "user_group.member_added", group.GroupID, arg); err != nil {
					return err
				}
			}
		}
		if !own {
			return nil
		}
		return t.leaveOthers(ctx, act, wanted, arg)
	})
}

// leaveGroups takes the user out of what the upstream has put them into, of which they have
// no identity any more.
func (t tx) leaveGroups(ctx context.Context, act storage.Act, arg engine.Args) error {
	stays := false
	if err := t.Get(ctx, &stays, selectOtherThere, arg); err != nil || stays {
		return err
	}
	return t.leaveOthers(ctx, act, nil, arg)
}

// leaveOthers takes the user out of the groups that are not wanted, if the upstream
// has put them there.
func (t tx) leaveOthers(ctx context.Context, act storage.Act, wanted map[string]bool, arg engine.Args) error {
	var in []string
	if err := t.List(ctx, &in, selectGroupsByIt, arg); err != nil {
		return err
	}
	for _, id := range in {
		if wanted[id] {
			continue
		}
		if err := t.member(ctx, act, deleteMember, "user_group.member_removed", id, arg); err != nil {
			return err
		}
	}
	return nil
}

// member puts the user into a group, or takes them out.
func (t tx) member(ctx context.Context, act storage.Act, query, kind, groupID string, arg engine.Args) error {
	n, err := t.Exec(ctx, query, engine.Args{"group_id": groupID, "user_id": arg["user_id"],
		"upstream_id": arg["upstream_id"]})
	if err != nil || n == 0 {
		return err
	}
	return t.Audit(ctx, act, kind, groupID, engine.Detail{"user_id": arg["user_id"], "upstream_id": arg["upstream_id"]})
}
