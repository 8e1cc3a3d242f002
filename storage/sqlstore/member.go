package sqlstore

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

type memberRow struct {
	UserID  string  `db:"user_id"`
	Admin   bool    `db:"admin"`
	AddedAt instant `db:"added_at"`
}

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

func (r memberRow) record() storage.Member {
	return storage.Member{UserID: r.UserID, Admin: r.Admin, AddedAt: r.AddedAt.Time}
}

// person makes sure that there is a user or service account with the id.
func (t tx) person(ctx context.Context, id string) error {
	for _, query := range []string{lockPersonUser, lockPersonAccount} {
		if found, err := t.lock(ctx, query, id); found || err != nil {
			return err
		}
	}
	return fault.New(fault.NotFound, storage.ReasonUserAbsent, "There is no such user or service account.")
}

// joinHub makes the user a member of the hub, if they are none.
func (t tx) joinHub(ctx context.Context, change storage.Change, hubID, userID string) error {
	if err := t.person(ctx, userID); err != nil {
		return err
	}
	n, err := t.exec(ctx, insertHubMember, args{"hub_id": hubID, "user_id": userID, "at": at(change.At)})
	if err != nil || n == 0 {
		return err
	}
	return t.tell(ctx, change, storage.EventMemberSet, where{subject: userID, hub: hubID}, detail{"admin": false})
}

// SetHubMember implements storage.MemberStore.
func (s *Store) SetHubMember(ctx context.Context, change storage.Change, hubID, userID string, admin bool) error {
	return s.write(ctx, func(tx tx) error {
		if err := tx.mustExist(ctx, "hub", selectHubID, hubID); err != nil {
			return err
		}
		if err := tx.person(ctx, userID); err != nil {
			return err
		}
		n, err := tx.exec(ctx, upsertHubMember, args{
			"hub_id": hubID, "user_id": userID, "admin": admin, "at": at(change.At),
		})
		if err != nil || n == 0 {
			return err
		}
		return tx.tell(ctx, change, storage.EventMemberSet, where{subject: userID, hub: hubID}, detail{"admin": admin})
	})
}

// RemoveHubMember implements storage.MemberStore.
func (s *Store) RemoveHubMember(ctx context.Context, change storage.Change, hubID, userID string) error {
	return s.write(ctx, func(tx tx) error {
		member := args{"hub_id": hubID, "user_id": userID}
		if err := tx.execOne(ctx, absent("member"), deleteHubMember, member); err != nil {
			return err
		}
		for _, query := range []string{deleteProjectMembers, deleteGroupMembers, deleteHubGrants, deleteListedUser, deleteTwinMembers} {
			if _, err := tx.exec(ctx, query, member); err != nil {
				return err
			}
		}
		return tx.tell(ctx, change, storage.EventMemberRemoved, where{subject: userID, hub: hubID}, nil)
	})
}

// ListHubMembers implements storage.MemberStore.
func (s *Store) ListHubMembers(ctx context.Context, hubID string, page storage.PageRequest) ([]storage.Member, string, error) {
	return s.listMembers(ctx, selectHubMembers, hubID, page)
}

// ListProjectMembers implements storage.MemberStore.
func (s *Store) ListProjectMembers(ctx context.Context, projectID string, page storage.PageRequest) ([]storage.Member, string, error) {
	return s.listMembers(ctx, selectProjectMembers, projectID, page)
}

// FindHubMember implements storage.MemberStore.
func (s *Store) FindHubMember(ctx context.Context, hubID, userID string) (storage.Member, error) {
	return s.findMember(ctx, selectHubMember, hubID, userID)
}

// FindProjectMember implements storage.MemberStore.
func (s *Store) FindProjectMember(ctx context.Context, projectID, userID string) (storage.Member, error) {
	return s.findMember(ctx, selectProjectMember, projectID, userID)
}

func (s *Store) findMember(ctx context.Context, query, id, userID string) (storage.Member, error) {
	var row memberRow
	err := s.reader.get(ctx, &row, query, args{"id": id, "user_id": userID})
	return row.record(), orAbsent(err, "member")
}

func (s *Store) listMembers(ctx context.Context, query, id string, page storage.PageRequest) ([]storage.Member, string, error) {
	limit, err := pageLimit(page)
	if err != nil {
		return nil, "", err
	}
	var rows []memberRow
	err = s.reader.list(ctx, &rows, query, args{"id": id, "after": page.After, "limit": limit + 1})
	if err != nil {
		return nil, "", asFault(err)
	}
	rows, next := cutPage(rows, limit, func(r memberRow) string { return r.UserID })
	return records(rows, memberRow.record), next, nil
}

// SetProjectMember implements storage.MemberStore.
func (s *Store) SetProjectMember(ctx context.Context, change storage.Change, projectID, userID string, admin bool) error {
	return s.write(ctx, func(tx tx) error {
		project, err := tx.project(ctx, projectID)
		if err != nil {
			return err
		}
		if err := tx.joinHub(ctx, change, project.HubID, userID); err != nil {
			return err
		}
		n, err := tx.exec(ctx, upsertProjectMember, args{
			"project_id": project.ID, "user_id": userID, "admin": admin, "at": at(change.At),
		})
		if err != nil || n == 0 {
			return err
		}
		return tx.tell(ctx, change, storage.EventMemberSet, project.about(userID, ""), detail{"admin": admin})
	})
}

// RemoveProjectMember implements storage.MemberStore.
func (s *Store) RemoveProjectMember(ctx context.Context, change storage.Change, projectID, userID string) error {
	return s.write(ctx, func(tx tx) error {
		project, err := tx.project(ctx, projectID)
		if err != nil {
			return err
		}
		member := args{"project_id": project.ID, "user_id": userID}
		if err := tx.execOne(ctx, absent("member"), deleteProjectMember, member); err != nil {
			return err
		}
		if _, err := tx.exec(ctx, deleteProjectGrants, member); err != nil {
			return err
		}
		return tx.tell(ctx, change, storage.EventMemberRemoved, project.about(userID, ""), nil)
	})
}
