package hubs

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	// A user or service account, who can't be deleted while the row is locked.
	lockPersonUser = `
SELECT id FROM users WHERE id = :id
FOR KEY SHARE`

	lockPersonAccount = `
SELECT id FROM service_accounts WHERE id = :id
FOR KEY SHARE`

	upsertHubMember = `
INSERT INTO hub_members (hub_id, user_id, admin, added_at) VALUES (:hub_id, :user_id, :admin, :at)
ON CONFLICT (hub_id, user_id) DO UPDATE SET admin = excluded.admin WHERE hub_members.admin <> excluded.admin`

	insertHubMember = `
INSERT INTO hub_members (hub_id, user_id, admin, added_at) VALUES (:hub_id, :user_id, false, :at)
ON CONFLICT DO NOTHING`

	keepHubMember = `
SELECT user_id FROM hub_members WHERE hub_id = :hub_id AND user_id = :user_id
FOR KEY SHARE`

	deleteHubMember = `
DELETE FROM hub_members WHERE hub_id = :hub_id AND user_id = :user_id`

	deleteProjectMembers = `
DELETE FROM project_members WHERE user_id = :user_id AND project_id IN (SELECT id FROM projects WHERE hub_id = :hub_id)`

	deleteGroupMembers = `
DELETE FROM group_members WHERE user_id = :user_id AND group_id IN (SELECT id FROM hub_groups WHERE hub_id = :hub_id)`

	deleteHubGrants = `
DELETE FROM folder_grants WHERE grantee = :user_id AND project_id IN (SELECT id FROM projects WHERE hub_id = :hub_id)`

	deleteListedUser = `
DELETE FROM app_access_users WHERE hub_id = :hub_id AND user_id = :user_id`

	// When somebody leaves the hub.
	deleteTwinMembers = `
DELETE FROM facility_members WHERE user_id = :user_id AND facility_id IN (SELECT id FROM facilities WHERE hub_id = :hub_id)`

	selectHubMembers = `
SELECT user_id, admin, added_at FROM hub_members WHERE hub_id = :id AND user_id > :after
ORDER BY user_id LIMIT :limit`

	selectHubMember = `
SELECT user_id, admin, added_at FROM hub_members WHERE hub_id = :id AND user_id = :user_id`

	selectProjectMember = `
SELECT user_id, admin, added_at FROM project_members
WHERE project_id = (SELECT id FROM projects WHERE uid = :id) AND user_id = :user_id`

	upsertProjectMember = `
INSERT INTO project_members (project_id, user_id, admin, added_at) VALUES (:project_id, :user_id, :admin, :at)
ON CONFLICT (project_id, user_id) DO UPDATE SET admin = excluded.admin WHERE project_members.admin <> excluded.admin`

	deleteProjectMember = `
DELETE FROM project_members WHERE project_id = :project_id AND user_id = :user_id`

	deleteProjectGrants = `
DELETE FROM folder_grants WHERE grantee = :user_id AND project_id = :project_id`

	selectProjectMembers = `
SELECT user_id, admin, added_at FROM project_members
WHERE project_id = (SELECT id FROM projects WHERE uid = :id) AND user_id > :after
ORDER BY user_id LIMIT :limit`
)

// person makes sure that there is a user or service account with the id.
func (t Tx) person(ctx context.Context, id string) error {
	for _, query := range []string{lockPersonUser, lockPersonAccount} {
		if found, err := t.Lock(ctx, query, id); found || err != nil {
			return err
		}
	}
	return fault.New(fault.NotFound, storage.ReasonUserAbsent, "There is no such user or service account.")
}

// JoinHub makes the user a member of the hub, if they are none. Whoever takes them out
// waits for what they are given then, and takes it, too.
func (t Tx) JoinHub(ctx context.Context, change storage.Change, hubID, userID string) error {
	if err := t.person(ctx, userID); err != nil {
		return err
	}
	member := engine.Args{"hub_id": hubID, "user_id": userID, "at": change.At}
	for n := int64(0); n == 0; {
		var there []string
		if err := t.List(ctx, &there, keepHubMember, member); err != nil || len(there) > 0 {
			return err
		}
		var err error
		if n, err = t.Exec(ctx, insertHubMember, member); err != nil {
			return err
		}
	}
	return t.Tell(ctx, change, storage.EventMemberSet, inHub(hubID, userID), engine.Detail{"admin": false})
}

// SetHubMember implements storage.MemberStore.
func (s *Hubs) SetHubMember(ctx context.Context, change storage.Change, hubID, userID string, admin bool) error {
	return s.write(ctx, func(tx Tx) error {
		if err := tx.HubMustExist(ctx, hubID); err != nil {
			return err
		}
		if err := tx.person(ctx, userID); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, upsertHubMember, engine.Args{
			"hub_id": hubID, "user_id": userID, "admin": admin, "at": change.At,
		})
		if err != nil || n == 0 {
			return err
		}
		return tx.Tell(ctx, change, storage.EventMemberSet, inHub(hubID, userID), engine.Detail{"admin": admin})
	})
}

// RemoveHubMember implements storage.MemberStore.
func (s *Hubs) RemoveHubMember(ctx context.Context, change storage.Change, hubID, userID string) error {
	return s.write(ctx, func(tx Tx) error {
		member := engine.Args{"hub_id": hubID, "user_id": userID}
		if err := tx.ExecOne(ctx, engine.Absent("member"), deleteHubMember, member); err != nil {
			return err
		}
		err := tx.ExecEach(ctx, member, deleteProjectMembers, deleteGroupMembers, deleteHubGrants,
			deleteListedUser, deleteTwinMembers)
		if err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventMemberRemoved, inHub(hubID, userID), nil)
	})
}

// ListHubMembers implements storage.MemberStore.
func (s *Hubs) ListHubMembers(ctx context.Context, hubID string,
	page storage.PageRequest) ([]storage.Member, string, error) {
	return s.listMembers(ctx, selectHubMembers, hubID, page)
}

// ListProjectMembers implements storage.MemberStore.
func (s *Hubs) ListProjectMembers(ctx context.Context, projectID string,
	page storage.PageRequest) ([]storage.Member, string, error) {
	return s.listMembers(ctx, selectProjectMembers, projectID, page)
}

// FindHubMember implements storage.MemberStore.
func (s *Hubs) FindHubMember(ctx context.Context, hubID, userID string) (storage.Member, error) {
	return s.findMember(ctx, selectHubMember, hubID, userID)
}

// FindProjectMember implements storage.MemberStore.
func (s *Hubs) FindProjectMember(ctx context.Context, projectID, userID string) (storage.Member, error) {
	return s.findMember(ctx, selectProjectMember, projectID, userID)
}

func (s *Hubs) findMember(ctx context.Context, query, id, userID string) (storage.Member, error) {
	return engine.Find[storage.Member](ctx, s.db, "member", query, engine.Args{"id": id, "user_id": userID})
}

func (s *Hubs) listMembers(ctx context.Context, query, id string,
	page storage.PageRequest) ([]storage.Member, string, error) {
	return engine.Page(ctx, s.db, page, query, engine.Args{"id": id}, func(m storage.Member) string { return m.UserID })
}

// SetProjectMember implements storage.MemberStore.
func (s *Hubs) SetProjectMember(ctx context.Context, change storage.Change, projectID,
	userID string, admin bool) error {
	return s.write(ctx, func(tx Tx) error {
		project, err := tx.Project(ctx, projectID)
		if err != nil {
			return err
		}
		if err := tx.JoinHub(ctx, change, project.HubID, userID); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, upsertProjectMember, engine.Args{
			"project_id": project.ID, "user_id": userID, "admin": admin, "at": change.At,
		})
		if err != nil || n == 0 {
			return err
		}
		return tx.Tell(ctx, change, storage.EventMemberSet, project.About(userID, ""), engine.Detail{"admin": admin})
	})
}

// RemoveProjectMember implements storage.MemberStore.
func (s *Hubs) RemoveProjectMember(ctx context.Context, change storage.Change, projectID, userID string) error {
	return s.write(ctx, func(tx Tx) error {
		project, err := tx.Project(ctx, projectID)
		if err != nil {
			return err
		}
		member := engine.Args{"project_id": project.ID, "user_id": userID}
		if err := tx.ExecOne(ctx, engine.Absent("member"), deleteProjectMember, member); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteProjectGrants, member); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventMemberRemoved, project.About(userID, ""), nil)
	})
}
