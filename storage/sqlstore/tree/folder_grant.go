package tree

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

type folderGrantRow struct {
	FolderID, ProjectID              int64
	FolderUID, FolderName, GroupName string
	Grantee                          string
	IsGroup                          bool
	Level                            storage.Level
}

const (
	upsertFolderGrant = `
INSERT INTO folder_grants (folder_id, grantee, is_group, project_id, level)
VALUES (:folder_id, :grantee, :is_group, :project_id, :level)
ON CONFLICT (folder_id, grantee) DO UPDATE SET level = excluded.level WHERE folder_grants.level <> excluded.level`

	deleteFolderGrant = `
DELETE FROM folder_grants WHERE folder_id = :folder_id AND grantee = :grantee AND is_group = :is_group`

	selectFolderGrants = `
SELECT f.uid AS folder_uid, g.grantee, g.is_group, g.level FROM folder_grants g
JOIN folders f ON f.id = g.folder_id JOIN projects p ON p.id = f.project_id
WHERE f.uid = :folder_uid AND p.uid = :project_uid
ORDER BY g.is_group, g.grantee`

	selectFolderInProject = `
SELECT f.id FROM folders f JOIN projects p ON p.id = f.project_id WHERE f.uid = :folder_uid AND p.uid = :project_uid`

	// What the user has on the way up, the strongest first.
	selectGrantsAbove = hubs.WayUp + `b.uid = :folder_uid` + hubs.WayUpEnd + `
SELECT f.uid AS folder_uid, f.name AS folder_name, g.grantee, g.is_group, coalesce(r.name, '') AS group_name, g.level
FROM up CROSS JOIN ` + hubs.Grantees + ` me
JOIN folder_grants g ON g.folder_id = up.id AND g.grantee = me.id
JOIN folders f ON f.id = up.id
LEFT JOIN hub_groups r ON r.id = g.grantee
ORDER BY g.level DESC, g.folder_id, g.grantee`
)

func (r folderGrantRow) record() storage.FolderGrant {
	grant := storage.FolderGrant{FolderID: r.FolderUID, Level: r.Level}
	if r.IsGroup {
		grant.GroupID = r.Grantee
		return grant
	}
	grant.UserID = r.Grantee
	return grant
}

// grantRow finds the folder of a grant and says who gets it.
func (t tx) grantRow(ctx context.Context, project hubs.ProjectRow, grant storage.FolderGrant) (folderGrantRow, error) {
	if (grant.UserID == "") == (grant.GroupID == "") {
		return folderGrantRow{}, fault.New(fault.Invalid, "", "A level is given to a user or to a group.")
	}
	var folder spot
	err := t.Get(ctx, &folder, selectSpot, engine.Args{"uid": grant.FolderID, "project_id": project.ID})
	return folderGrantRow{
		FolderID: folder.ID, Grantee: grant.UserID + grant.GroupID, IsGroup: grant.GroupID != "",
		ProjectID: project.ID, Level: grant.Level,
	}, engine.OrAbsentRow(err, "folder")
}

// withGrant runs an act on the row of a grant.
func (s *Tree) withGrant(ctx context.Context, projectID string, grant storage.FolderGrant,
	act func(tx, hubs.ProjectRow, folderGrantRow) error) error {
	return s.write(ctx, func(tx tx) error {
		project, err := tx.Project(ctx, projectID)
		if err != nil {
			return err
		}
		row, err := tx.grantRow(ctx, project, grant)
		if err != nil {
			return err
		}
		return act(tx, project, row)
	})
}

func grantDetail(grant storage.FolderGrant) engine.Detail {
	if grant.GroupID != "" {
		return engine.Detail{"group": grant.GroupID}
	}
	return engine.Detail{"user": grant.UserID}
}

// SetFolderGrant implements storage.AccessStore.
func (s *Tree) SetFolderGrant(ctx context.Context, change storage.Change, projectID string,
	grant storage.FolderGrant) error {
	if err := hubs.CheckLevel(grant.Level); err != nil {
		return err
	}
	return s.withGrant(ctx, projectID, grant, func(tx tx, project hubs.ProjectRow, row folderGrantRow) error {
		if err := tx.grantParty(ctx, change, project, grant); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, upsertFolderGrant, row)
		if err != nil || n == 0 {
			return err
		}
		more := grantDetail(grant)
		more["level"] = grant.Level
		return tx.Tell(ctx, change, storage.EventGrantSet, project.About(grant.FolderID, grant.FolderID), more)
	})
}

// grantParty makes sure that there is somebody to give a level to.
func (t tx) grantParty(ctx context.Context, change storage.Change, project hubs.ProjectRow,
	grant storage.FolderGrant) error {
	if grant.UserID != "" {
		return t.JoinHub(ctx, change, project.HubID, grant.UserID)
	}
	return t.Group(ctx, project.HubID, grant.GroupID)
}

// RemoveFolderGrant implements storage.AccessStore.
func (s *Tree) RemoveFolderGrant(ctx context.Context, change storage.Change, projectID string,
	grant storage.FolderGrant) error {
	return s.withGrant(ctx, projectID, grant, func(tx tx, project hubs.ProjectRow, row folderGrantRow) error {
		if err := tx.ExecOne(ctx, engine.Absent("grant"), deleteFolderGrant, row); err != nil {
			return err
		}
		return tx.Tell(ctx, change, storage.EventGrantRemoved,
			project.About(grant.FolderID, grant.FolderID), grantDetail(grant))
	})
}

// ListFolderGrants implements storage.AccessStore.
func (s *Tree) ListFolderGrants(ctx context.Context, projectID, folderID string) ([]storage.FolderGrant, error) {
	arg := engine.Args{"project_uid": projectID, "folder_uid": folderID}
	if err := s.folderInProject(ctx, arg); err != nil {
		return nil, err
	}
	rows, err := engine.All[folderGrantRow](ctx, s.db, selectFolderGrants, arg)
	return engine.Records(rows, folderGrantRow.record), err
}

func (s *Tree) folderInProject(ctx context.Context, arg engine.Args) error {
	var id int64
	return engine.OrAbsent(s.db.Get(ctx, &id, selectFolderInProject, arg), "folder")
}

// ExplainAccess implements storage.AccessStore.
func (s *Tree) ExplainAccess(ctx context.Context, userID, projectID, folderID string) ([]storage.AccessReason, error) {
	arg := engine.Args{"project_uid": projectID, "folder_uid": folderID, "user_id": userID}
	if err := s.folderInProject(ctx, arg); err != nil {
		return nil, err
	}
	place, err := s.hubs.FindProject(ctx, storage.Caller{UserID: userID}, projectID)
	if err != nil {
		return nil, err
	}
	var reasons []storage.AccessReason
	if place.Standing.HubAdmin {
		reasons = append(reasons, storage.AccessReason{HubAdmin: true})
	}
	if place.Standing.ProjectAdmin {
		reasons = append(reasons, storage.AccessReason{ProjectAdmin: true})
	}
	rows, err := engine.All[folderGrantRow](ctx, s.db, selectGrantsAbove, arg)
	for _, r := range rows {
		reasons = append(reasons, storage.AccessReason{Grant: r.record(), GroupName: r.GroupName, FolderName: r.FolderName})
	}
	return reasons, err
}
