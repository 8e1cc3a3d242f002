package hubs

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	// The role of a row that says who administrates.
	roleOf = `CASE WHEN m.admin THEN 'admin' ELSE 'member' END`

	// The access of a row (storage.TwinAccess), in words.
	accessOf = `CASE m.access WHEN 1 THEN 'read' WHEN 2 THEN 'read_write' WHEN 3 THEN 'manage' ELSE 'owner' END`
)

const selectMemberships = `
SELECT place, kind, id, name, role FROM (
	SELECT 'hub ' || h.id AS place, 'hub' AS kind, h.id, h.name, ` + roleOf + ` AS role
	FROM hub_members m JOIN hubs h ON h.id = m.hub_id WHERE m.user_id = :user_id
	UNION ALL
	SELECT 'project ' || p.uid, 'project', p.uid, p.name, ` + roleOf + `
	FROM project_members m JOIN projects p ON p.id = m.project_id WHERE m.user_id = :user_id
	UNION ALL
	SELECT 'hub_group ' || g.id, 'hub_group', g.id, g.name, 'member'
	FROM group_members m JOIN hub_groups g ON g.id = m.group_id WHERE m.user_id = :user_id
	UNION ALL
	SELECT 'facility ' || f.uid, 'facility', f.uid, f.name, ` + accessOf + `
	FROM facility_members m JOIN facilities f ON f.id = m.facility_id WHERE m.user_id = :user_id
	UNION ALL
	SELECT 'group ' || g.id, 'group', g.id, g.name, 'member'
	FROM user_group_members m JOIN user_groups g ON g.id = m.group_id WHERE m.user_id = :user_id
) q WHERE place > :after
ORDER BY place LIMIT :limit`

type membershipRow struct {
	Place string
	storage.Membership
}

func (r membershipRow) record() storage.Membership { return r.Membership }

// ListMemberships implements storage.PersonStore.
func (s *Hubs) ListMemberships(ctx context.Context, userID string,
	page storage.PageRequest) ([]storage.Membership, string, error) {
	rows, next, err := engine.Page(ctx, s.db, page, selectMemberships, engine.Args{"user_id": userID},
		func(r membershipRow) string { return r.Place })
	return engine.Records(rows, membershipRow.record), next, err
}
